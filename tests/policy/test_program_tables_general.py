from __future__ import annotations

import pytest

from handrail.policy.shell.reading import read_shell

READS = {
    "prints a file, or a part of it": [
        "cat src/app.py", "cat -A src/app.py", "cat -n a.txt b.txt", "cat -- a.txt", "nl -ba src/app.py",
        "head -50 src/app.py", "head -n 20 a.txt", "head -c 100 a.txt", "tail -n +5 a.txt", "tail -20 a.txt",
        "tail -f -n 100 app.log", "tac a.txt", "rev a.txt", "fold -w 80 -s a.txt", "fmt -w 72 README.md",
        "pr -t -2 a.txt", "expand -t 4 Makefile", "unexpand -a a.txt", "more a.txt", "cut -d: -f1,3 /etc/passwd",
        "cut -c1-80 a.txt", "paste -d, a.txt b.txt", "column -t -s, data.csv", "bat -p --paging=never a.py",
        "bat -r 10:20 src/app.py",
    ],
    "counts and sums": [
        "wc -l src/app.py", "wc --lines --words a.txt", "sha256sum a.txt", "md5sum a.txt b.txt", "b2sum a.txt",
        "cksum a.txt", "shasum -a 256 a.txt", "seq 1 10", "seq -w 0 5 100", "expr 3 + 4", "expr 10 - 3",
        "numfmt --to=iec 123456", "factor 42", "bc -l calc.bc",
    ],
    "sorts and compares": [
        "sort -u -k2,2n -t, data.csv", "sort -rn a.txt", "sort --parallel=2 -S 50% a.txt", "uniq -c a.txt",
        "comm -12 a.txt b.txt", "join -t, -1 2 a.csv b.csv", "shuf -n 5 a.txt", "tsort deps.txt", "diff -u a.txt b.txt",
        "diff -rq old new", "diff --color=always -y a.txt b.txt", "cmp -s a.txt b.txt",
        "diff -U3 --label old --label new a b", "sdiff -s a.txt b.txt", "diff3 -m mine.txt old.txt yours.txt",
        "diffstat -p1 change.diff",
    ],
    "translates what it is fed": [
        "tr a-z A-Z < a.txt", "tr -d '\\r' < a.txt", "tr -s ' ' < a.txt", "iconv -f latin1 -t utf-8 a.txt",
        "base64 -d a.b64", "base64 -w0 a.bin", "base32 a.bin", "cat a.txt | less -R", "git log | more",
        "ls -l | column -t", "echo x | rev", "man ls | col -b",
    ],
    "shows bytes": [
        "xxd a.bin", "xxd -l 64 -s 16 a.bin", "xxd -c16 -g1 a.bin", "xxd -p a.bin", "od -c a.bin",
        "od -A x -t x1z -v a.bin", "hexdump -C a.bin", "hd -n 32 a.bin", "strings -n 8 a.bin",
    ],
    "prints lines by a sed script": [
        "sed -n '1,5p' a.txt", "sed -n 100,150p src/app.py", "sed -n '/class A/,/^class/p' src/app.py",
        "sed 's/a/b/g' a.txt", "sed -e 's/a/b/' -e 's/c/d/' a.txt", "sed '1d;$d' a.txt", "sed -E 's/(a+)/[\\1]/' a.txt",
        "sed 's/we/w e/' a.txt", "sed -n '$=' a.txt", "sed -n -e '5p' -e '9q' a.txt", "sed '/^#/d' a.txt",
    ],
    "computes by an awk program": [
        "awk '{print $1}' a.txt", "awk -F: '{print $1, $3}' /etc/passwd", "awk 'NR>=10 && NR<=20' a.txt",
        "awk '/class Mapping/,/^class [A-Z]/' src/app.py", "awk '{s+=$1} END {print s}' a.txt",
        "awk -v n=3 'NR==n' a.txt", "gawk 'length($0) > 120' a.py",
    ],
    "asks a JSON or XML document": [
        "jq . package.json", "jq -r .name package.json", "jq '.a.b[0]' a.json", "jq -c '.items[] | .id' a.json",
        "jq -r 'keys[]' a.json", "jq -s 'length' a.json", "yq .version a.yaml", "yq -r '.a.b' a.yaml",
        "xmllint --noout a.xml", "xmllint --format a.xml", "xmllint --xpath '//a/@b' a.xml",
    ],
    "searches for text": [
        "grep -rn 'def main' src", "grep -E 'a|b' a.txt", "grep -n x a.txt -A 5", "grep -i -B2 -A2 x a.txt",
        "grep -r --include='*.py' x .", "grep -c x a.txt", "grep -oP '\\d+' a.txt", "grep -l x a.py b.py",
        "grep -v '^#' a.txt", "grep -e a -e b a.txt", "grep -f patterns.txt a.txt", "grep -rn --exclude-dir=.git x .",
        "egrep 'a|b' a.txt", "fgrep a.b a.txt", "rgrep -n x src", "zgrep x a.log.gz", "rg -n x src", "rg x",
        "rg -t py 'class \\w+' src", "rg --files -g '*.py'", "rg -l --hidden x", "rg -U -A3 'a\\nb' src",
        "rg -e a -e b src", "rg --json x src", "ag -i x src", "ack --noenv x src",
    ],
    "finds files": [
        "find . -name '*.py'", "find src -type f -newer a.txt", "find . -maxdepth 2 -not -path '*/.git/*'",
        "find . \\( -name a -o -name b \\) -print0", "find . -size +1M -printf '%s %p\\n'", "fd '\\.py$' src",
        "fd -e py -t f", "fdfind -H config", "tree -L 2 -I node_modules", "tree -a --dirsfirst src",
    ],
    "looks at files": [
        "ls", "ls -la src", "ls -lah --color=never", "ls -1t *.py", "ls -R src", "eza -l", "exa -T -L 2",
        "stat -c '%s %n' a.txt", "file -b --mime-type a.bin", "du -sh *", "du -h -d 1 .", "du -ah --max-depth=1 src",
        "df -h .", "realpath --relative-to=. src/app.py", "readlink -f a.txt", "basename src/app.py .py",
        "dirname src/app.py", "namei -l src/app.py", "which python3", "which -a node", "whereis gcc", "type -a python",
        "command -v git", "command -V ls", "mountpoint -q /mnt", "lsattr a.txt", "getfacl a.txt", "pathchk -p a.txt",
    ],
    "tells what is in an archive": [
        "tar -tf a.tar", "tar tf a.tar.gz", "tar -tzf a.tgz", "tar tzvf a.tgz", "tar -tvf ./a.tar src/app.py",
        "tar --list --verbose -f a.tar", "unzip -l a.zip", "unzip -p a.zip META-INF/MANIFEST.MF", "unzip -v a.whl",
        "zipinfo -1 a.whl", "gzip -l a.gz", "gzip -dc a.gz", "gunzip -c a.gz", "zcat a.gz", "bzcat a.bz2", "xzcat a.xz",
        "xz -l a.xz", "zstd -dc a.zst", "zstdcat a.zst", "bzip2 -t a.bz2", "7z l a.7z", "ar t lib.a",
        "cpio -t < a.cpio", "unrar l a.rar",
    ],
    "looks at the machine": [
        "uname -a", "uname -sm", "whoami", "id", "id -un", "groups", "hostname", "hostname -f", "arch", "nproc",
        "uptime", "free -h", "free -m -t", "lscpu", "lsblk -f", "lsblk -o NAME,SIZE", "vmstat 1 2", "w", "who",
        "last -5", "mount", "findmnt -J", "dmesg -T", "journalctl -u nginx -n 50 --no-pager",
        "journalctl --since today -p err", "sysctl -a", "sysctl -n kernel.ostype", "getconf PAGE_SIZE", "getconf -a",
        "getent passwd root", "locale -a", "ldconfig -p", "date", "date +%s", "date -u '+%Y-%m-%d'",
        "date -d yesterday +%F", "cal 2024", "tput cols", "nvidia-smi",
        "nvidia-smi --query-gpu=name,memory.total --format=csv", "lspci -nn", "lsusb", "timedatectl", "man -k printf",
        "man grep", "printenv PATH", "tty", "stty -a", "umask", "ulimit -n", "ulimit -a",
    ],
    "looks at processes and services": [
        "ps", "ps aux", "ps -ef", "ps -eo pid,ppid,cmd", "ps -p 123 -o pid=,args=", "ps axf", "top -b -n 1",
        "pgrep -af python", "pidof nginx", "pstree -p", "pmap -x 123", "pwdx 123", "lsof -i :8080", "lsof -p 123",
        "fuser 8080/tcp", "kill -0 123", "kill -l", "systemctl status nginx", "systemctl is-active nginx",
        "systemctl --user list-units", "systemctl list-units --type=service --no-pager", "jobs", "jobs -l",
    ],
    "looks at the interfaces": [
        "ss -tlnp", "ss -s", "netstat -tulpn", "netstat -rn", "ip addr", "ip a", "ip addr show", "ip -br a",
        "ip -4 addr show eth0", "ip route", "ip r", "ip route get 1.1.1.1", "ip link show", "ifconfig", "ifconfig eth0",
    ],
    "tells the shell something that changes nothing": [
        "cd src", "pwd", "echo done", "echo -e 'a\\nb'", "printf '%s\\n' a b", "printf '%05.2f\\n' 3.14", "true",
        "false", ":", "test -f a.txt", "test -n a -a -d src", "[ -f a.txt ]", "[ a = b ]", "exit 0", "exit", "set -e",
        "set -euo pipefail", "set -x", "set +x", "shift", "wait", "sleep 1", "sleep 0.5", "help cd", "times",
        "shopt -s globstar", "pushd src",
    ],
    "runs a command that reads": [
        "timeout 5 ls", "timeout -k 1 10s grep -r x src", "time ls", "time -p ls", "nice -n 10 grep x a.txt", "nice ls",
        "ionice -c 3 cat a.txt", "stdbuf -oL grep x a.txt", "env LANG=C sort a.txt", "command ls", "builtin echo x",
        "setsid cat a.txt", "env -u LANG ls", "taskset -c 0 wc -l a.txt",
    ],
    "looks into programs": [
        "nm -D lib.so", "nm -C --defined-only a.o", "objdump -d a.o", "objdump -t -T a.o", "readelf -h a.out",
        "readelf -d a.so", "readelf -s -W a.so", "size a.o", "addr2line -e a.out 0x1234", "c++filt _Z1fv",
        "openssl version", "openssl x509 -in cert.pem -noout -text", "openssl x509 -noout -enddate -in cert.pem",
        "openssl dgst -sha256 a.txt", "openssl rand -hex 16",
    ],
    "looks into documents and films": [
        "pdfinfo a.pdf", "pdffonts a.pdf", "pdfimages -list a.pdf", "ffprobe -v error -show_format a.mp4",
        "ffprobe -hide_banner a.mp4", "ffprobe -print_format json -show_streams -i a.mp4",
    ],
    "tells its version or how it is used, whatever else it does": [
        "rm --help", "sed --version", "tar --version", "curl --version", "ssh -V", "sudo --version", "ffmpeg -version",
        "psql --version", "sqlite3 --version", "pandoc --version", "dd --help", "patch --version", "wget -V",
        "xargs --help", "parallel --version", "ldd --version", "convert --version", "split --help",
    ],
}  # fmt: skip


@pytest.mark.parametrize("commands", READS.values(), ids=READS)
def test_a_program_in_a_form_that_only_reads_is_known_to(commands: list[str]) -> None:
    asked = {command: read_shell(command, "/w", "/home/u").unread for command in commands}
    assert {command: why for command, why in asked.items() if why} == {}
