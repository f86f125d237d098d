#!/bin/sh
# Makes a virtual environment with one set of pinned requirements and Handrail itself, or does
# nothing when it is there already:  sh requirements/setup.sh run|dev|bench
#
# Needs Python 3.11 or newer with venv and pip, and nothing else. PYTHON names another interpreter,
# VENV another folder. Programs in it are started as `"$VENV/bin/python" -m …`: the first line of a
# script can't name an interpreter in a path with a space.
set -eu
cd "$(dirname "$0")/.."

wants=$1
venv=${VENV:-.venv}

# What is installed depends on this, and on where the editable install points.
state=$({ pwd; cat pyproject.toml requirements/*.txt; } | cksum)

runs() {
    "$venv/bin/python" -c '' 2>/dev/null
}

has() {
    [ "$(cat "$venv/installed-$1" 2>/dev/null)" = "$state" ]
}

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

find_python() {
    too_old_or_absent=true
    if [ -n "${PYTHON:-}" ]; then set -- "$PYTHON"; else set -- python3.13 python3.12 python3.11 python3; fi
    for candidate in "$@"; do
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        too_old_or_absent=false
        if "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
            python=$candidate
            return
        fi
    done
    if $too_old_or_absent; then
        fail "Handrail needs Python 3.11 or newer, and there is none on PATH." \
            "Install one, or name it: make PYTHON=/path/to/python3.11"
    fi
    fail "The Python on PATH has no venv or ensurepip, which Handrail's setup needs." \
        "Debian and Ubuntu: apt-get install python3-venv. Or name another: make PYTHON=/path/to/python3.11"
}

if runs; then
    # The tools for development include all that a run needs.
    if has "$wants" || { [ "$wants" = run ] && has dev; }; then
        exit 0
    fi
else
    find_python
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi

echo "Setting up $venv (once, about half a minute)"
pip() {
    "$venv/bin/python" -m pip --disable-pip-version-check --no-input --quiet "$@"
}
# The pins name every package with its hashes, so there is nothing to resolve. Python compiles what it loads, when it
# does: nearly half of it never is, and here all would wait for that.
pip install --no-compile --no-deps --require-hashes -r requirements/build.txt -r "requirements/$wants.txt"
pip install --no-deps --no-build-isolation --editable .
printf '%s\n' "$state" >"$venv/installed-$wants"
