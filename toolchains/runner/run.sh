#!/bin/sh
# run-@TARGET@ PROGRAM ARGS…
# Runs a Windows program for @TARGET@ on this machine, by Wine @HOW@. PROGRAM is a host path; host files are at Z:.
#
# WINDLASS_RUN_CPU      the emulated CPU (default `@CPU@`); not known where nothing is emulated
# WINDLASS_RUN_TIMEOUT  seconds after which the program is stopped, with status 124; unset or 0: never
# WINDLASS_RUN_PATH     host folders, separated by `:`, put in front of the Windows PATH
# WINDLASS_RUN_ENV      names of variables, separated by blanks, that reach the program; no other variable does
# WINDLASS_RUN_CODE     a file that gets the full 32-bit exit code, as 8 hexadecimal digits
#
# Status: the program's exit code where it has 8 bits. A larger one gives its low 8 bits, or 1 where those are 0. A fault
# (an NTSTATUS of severity error) is reported on stderr, with Wine's own line before, and gives 139; 124 stopped at the limit; 125 the runner itself
# failed; 127 PROGRAM could not be started; 128 + n ended by signal n.
set -u
root=@ROOT@
wine=$root/usr/lib/wine
fail() { printf 'run-@TARGET@: %s\n' "$1" >&2; exit "${2:-125}"; }

[ $# -gt 0 ] || fail 'no program given; usage: run-@TARGET@ PROGRAM ARGS…'
program=$1
shift
[ -f "$program" ] || fail "$program: no such file" 127
case $program in /*) ;; *) program=$PWD/$program ;; esac
emulated=@EMULATED@
if [ $emulated = no ] && [ -n "${WINDLASS_RUN_CPU:-}" ]; then
    fail "CPU \`$WINDLASS_RUN_CPU\` wanted, but programs of this target run on the machine's own CPU"
fi
seconds=${WINDLASS_RUN_TIMEOUT:-0}
case $seconds in *[!0-9]* | '' | ????????*) fail "WINDLASS_RUN_TIMEOUT is \`$seconds\`, wanted whole seconds" ;; esac

# One Wine prefix, hence one server, for each user and each runner. The programs in it are links into the runner's own.
user=$(id -u)
home=${WINDLASS_RUN_HOME:-/tmp/windlass-run-$user}
prefix=$home/@DIGEST@
if [ ! -d "$prefix" ]; then
    mkdir -p -m 700 "$home" 2>/dev/null
    fresh=$(mktemp -d "$home/new.XXXXXX") || fail "$home: cannot be written"
    cp -RP "$root/prefix/." "$fresh/" || fail "$fresh: cannot be filled"
    ln -s "$root/system32" "$fresh/drive_c/windows/system32"
    # Debian's Wine keeps its sockets in the folder of /tmp that this file names, which must not be writable. Were it
    # absent, two first starts at once would each make up a name and miss each other's server.
    printf '%s' "windlass-run-$user" >"$fresh/wineserver" && chmod 400 "$fresh/wineserver" || fail "$fresh: cannot be filled"
    # Of several that start at once one wins; `-T` keeps the others from landing inside it.
    mv -T "$fresh" "$prefix" 2>/dev/null || rm -rf "$fresh"
fi
[ -O "$prefix" ] || fail "$prefix: belongs to another user"

scratch=$(mktemp -d "$home/run.XXXXXX") || fail "$home: cannot be written"
finish() { rm -rf "$scratch"; exit "$1"; }
set -- "$wine/wine64" "$root/launcher.exe" "Z:$program" "$@"
folders=
IFS=:
for folder in ${WINDLASS_RUN_PATH:-}; do folders="${folders:+$folders;}Z:$folder"; done
unset IFS
for name in ${WINDLASS_RUN_ENV:-}; do
    case $name in *[!A-Za-z0-9_]* | [0-9]*) finish 125 ;; esac
    eval "[ -n \"\${$name+set}\" ] && set -- \"$name=\${$name}\" \"\$@\""
done
[ "$seconds" -eq 0 ] || set -- "WINDLASS_RUN_LIMIT=${seconds}000" "$@"
[ -z "$folders" ] || set -- "WINEPATH=$folders" "$@"
set -- "WINDLASS_RUN_STATUS=Z:$scratch/status" "$@"
# The launcher dies with this script, even by SIGKILL; and the program with the launcher, by its job.
reaper=
if command -v setpriv >/dev/null; then reaper='setpriv --pdeathsig KILL'; fi
# The explorer has no window system to serve here, and without one it starts itself again for ever.
start() {
    exec $reaper env -i PATH=/usr/bin:/bin HOME="$prefix" USER=windlass LC_ALL=C.UTF-8 \
        WINELOADERNOEXEC=1 WINEPREFIX="$prefix" WINEDEBUG=-all \
        'WINEDLLOVERRIDES=mscoree,mshtml,winemenubuilder.exe,explorer.exe=' \
        WINDLASS_RUN_CPU="${WINDLASS_RUN_CPU:-@CPU@}" "$@"
}
# Wine's services keep the standard error of whoever made them start, for as long as they live: a caller that reads it to
# the end would wait for them. So a session that does not run yet is started apart, by a launcher with nothing to launch.
served() {
    lock=$(printf '/tmp/windlass-run-%s/server-%s-%x/lock' "$user" $(stat -c '%D %i' "$prefix"))
    inode=$(stat -c %i "$lock" 2>/dev/null) && grep -q ":$inode " /proc/locks
}
if ! served; then
    (
        exec 9>"$prefix.session" && flock 9
        served || (start "$wine/wine64" "$root/launcher.exe" Z:/nothing 9>&-)
    ) </dev/null >/dev/null 2>&1
fi
# The limit is kept by the launcher. This one is for a Wine that hangs before the launcher runs.
watch=
start "$@" <&0 &
child=$!
stop() { kill -KILL "$child" 2>/dev/null; [ -z "$watch" ] || kill "$watch" 2>/dev/null; finish "$1"; }
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM
if [ "$seconds" -ne 0 ]; then
    (
        trap 'kill $! 2>/dev/null; exit' TERM
        sleep $((seconds + 10)) & wait $!
        kill -KILL "$child"
    ) </dev/null >/dev/null 2>&1 &
    watch=$!
fi
wait "$child" 2>/dev/null
status=$?
[ -z "$watch" ] || kill "$watch" 2>/dev/null
kind= code=
[ ! -f "$scratch/status" ] || read -r kind code <"$scratch/status"
[ "$kind" != e ] || [ -z "${WINDLASS_RUN_CODE:-}" ] || printf '%s\n' "$code" >"$WINDLASS_RUN_CODE"
case $kind in
e)
    value=$((0x$code))
    case $code in
    c*) printf 'run-@TARGET@: %s: crashed with NTSTATUS 0x%s\n' "$program" "$code" >&2; finish 139 ;;
    000000??) finish $value ;;
    ??????00) finish 1 ;;
    *) finish $((value & 255)) ;;
    esac ;;
t) printf 'run-@TARGET@: %s: stopped after %s s\n' "$program" "$seconds" >&2; finish 124 ;;
s) printf 'run-@TARGET@: %s: cannot be started, Windows error 0x%s\n' "$program" "$code" >&2; finish 127 ;;
esac
[ "$status" -ne 137 ] || [ "$seconds" -eq 0 ] || { printf 'run-@TARGET@: %s: Wine hung and was stopped\n' "$program" >&2; finish 124; }
printf 'run-@TARGET@: Wine ended with status %s before the program did\n' "$status" >&2
finish 125
