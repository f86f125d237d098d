# Read by the bash of one command before its script (BASH_ENV). Tells on a socket where the shell stands when it ends;
# with HANDRAIL_TELLS=often before each command too, for scripts that may end without running this trap.
# `$_` is the last word, printed as nothing, so that it stays what it is; nothing of this shows in `set -x`.
unset BASH_ENV
trap "{ builtin printf '%s\\0%.0s' \"\$PWD\" \"\$_\" >&$HANDRAIL_STANDS || builtin :; } 2>/dev/null" EXIT
if [[ $HANDRAIL_TELLS == often ]]; then
    set -T
    trap "{ builtin printf '%s\\0%.0s' \"\$PWD\" \"\$_\" >&$HANDRAIL_STANDS || builtin :; } 2>/dev/null" DEBUG
fi
unset HANDRAIL_STANDS HANDRAIL_TELLS
