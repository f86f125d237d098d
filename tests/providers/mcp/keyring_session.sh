# A Secret Service of its own, on a bus of its own: ends with whatever it is told to run.  dbus-run-session sh THIS COMMAND…
set -eu
mkfifo "$XDG_RUNTIME_DIR/password"
gnome-keyring-daemon --foreground --unlock --components=secrets <"$XDG_RUNTIME_DIR/password" >/dev/null 2>&1 &
daemon=$!
trap 'kill "$daemon"' EXIT
printf 'a password' >"$XDG_RUNTIME_DIR/password"
"$@"
