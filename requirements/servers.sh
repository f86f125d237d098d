#!/bin/sh
# Installs the MCP servers that tests drive, or does nothing when they are there already:  sh requirements/servers.sh
#
# Those in Python get an environment of their own, as they pin what they need in other versions than Handrail may.
# Those in JavaScript need node 18 or newer and npm. SERVERS names another folder. npm's lock files name registries,
# so the versions of the servers alone are pinned.
set -eu
cd "$(dirname "$0")/.."

servers=${SERVERS:-.venv-servers}
venv=${VENV:-.venv}
npm_packages="@modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31"

state=$({ pwd; cat requirements/servers.txt; echo "$npm_packages"; } | cksum)
if [ "$(cat "$servers/installed" 2>/dev/null)" = "$state" ]; then
    exit 0
fi

if ! command -v npm >/dev/null; then
    printf '%s\n' "The tests drive MCP servers that need node and npm, and there is no npm on PATH." \
        "Debian and Ubuntu: apt-get install nodejs npm" >&2
    exit 1
fi

echo "Setting up $servers (once, about a minute)"
rm -rf "$servers"
"$venv/bin/python" -m venv "$servers"
"$servers/bin/python" -m pip --disable-pip-version-check --no-input --quiet install \
    --no-deps --require-hashes -r requirements/servers.txt
# shellcheck disable=SC2086  # one package a word
npm install --silent --no-audit --no-fund --no-package-lock --no-save --prefix "$servers/node" $npm_packages
printf '%s\n' "$state" >"$servers/installed"
