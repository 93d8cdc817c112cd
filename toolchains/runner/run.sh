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
# (an NTSTATUS of severity error) is reported on stderr, with Wine's own line before, and gives 139; 124 stopped at the
# limit; 125 the runner itself failed; 127 PROGRAM could not be started; 128 + n ended by signal n.
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
cpu=${WINDLASS_RUN_CPU:-@CPU@}
if [ $emulated = no ] && [ -n "${WINDLASS_RUN_CPU:-}" ]; then
    fail "CPU \`$cpu\` wanted, but programs of this target run on the machine's own CPU"
fi
case $cpu in *[!A-Za-z0-9.,=_-]* | ????????????????????????????????????????????????????????????????*)
    fail "WINDLASS_RUN_CPU is \`$cpu\`, wanted a name and options as the emulator spells them, in under 64 letters" ;;
esac
seconds=${WINDLASS_RUN_TIMEOUT:-0}
case $seconds in *[!0-9]* | '' | ????????*) fail "WINDLASS_RUN_TIMEOUT is \`$seconds\`, wanted whole seconds" ;; esac

# One Wine prefix, hence one server, for each user, runner and CPU: what a program hears of its CPU is the server's to say.
# The programs in it are links into the runner's own.
user=$(id -u)
home=${WINDLASS_RUN_HOME:-/tmp/windlass-run-$user}
prefix=$home/@DIGEST@-$cpu
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
[ -O "$home" ] && [ -O "$prefix" ] || fail "$prefix: belongs to another user"

# What Microsoft lets programs carry along. Windows has none of it, so a program's own must win over Wine's, whose locks are not laid
# out as those that today's compiler sets up by itself: taken by one and given back by the other, they are never free again.
redistributable=concrt140,msvcp140,msvcp140_1,msvcp140_2,msvcp140_atomic_wait,msvcp140_codecvt_ids,vcomp140,vcruntime140,vcruntime140_1,vcruntime140_threads

# Starts Wine by way of the command `$by`. The explorer has no window system to serve here, and without one it starts
# itself again for ever.
start() {
    exec $by env -i PATH=/usr/bin:/bin HOME="$prefix" USER=windlass LC_ALL=C.UTF-8 \
        WINELOADERNOEXEC=1 WINEPREFIX="$prefix" WINEDEBUG=-all WINDLASS_RUN_CPU="$cpu" \
        WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe,explorer.exe=;$redistributable=n,b" "$@" 8>&- 9>&-
}
# The process that serves the prefix, by the lock that it holds.
lock=$(printf '/tmp/windlass-run-%s/server-%s-%x/lock' "$user" $(stat -c '%D %i' "$prefix"))
server() {
    inode=$(stat -c %i "$lock" 2>/dev/null) || return
    while read -r _ _ _ _ process file _; do
        case $file in *:"$inode") echo "$process" && return ;; esac
    done </proc/locks
}
# A session is the server with the services that Wine's set-up started. It is begun here, by a launcher with nothing to
# launch, and apart from the program and its process group: services keep the standard error of whoever made them start,
# so that a caller who reads it to the end would wait for them; and a session whose set-up is killed half way lets every
# later program wait for minutes. `session` names the server whose set-up came to its end. Any other is killed with all
# that hangs on it as soon as no program holds `use`; each process of it has the prefix in its environment.
ready() { [ -f "$prefix/session" ] && read -r known <"$prefix/session" && [ "$known" = "$(server)" ]; }
sweep() {
    rm -f "$prefix/session"
    for round in 1 2 3 4 5 6 7 8 9; do
        found=$(grep -slzxF "WINEPREFIX=$prefix" /proc/[0-9]*/environ)
        [ -n "$found" ] || break
        for file in $found; do file=${file%/environ} && kill -KILL "${file#/proc/}"; done 2>/dev/null
        sleep 0.1
    done
}
exec 8>"$prefix/begin" 9>"$prefix/use" || fail "$prefix: cannot be written"
flock 8
if ! ready && flock --nonblock 9; then
    for attempt in first last; do
        sweep
        # The launcher finds no such program and says so, with 127. It takes a second; a loaded machine gets a minute.
        by='setsid --wait timeout --signal KILL 60'
        (start "$wine/wine64" "$root/launcher.exe" Z:/nothing) </dev/null >/dev/null 2>&1
        [ $? -eq 127 ] && server >"$prefix/session" && break
        [ $attempt = first ] || { sweep; fail "Wine cannot be set up in $prefix with CPU \`$cpu\`"; }
    done
fi
flock --shared 9
exec 8>&-

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
by=
if command -v setpriv >/dev/null; then by='setpriv --pdeathsig KILL'; fi
# The limit is kept by the launcher. This one is for a Wine that hangs before the launcher runs.
watch=
# A shell gives an empty input to what it starts in the background, before it looks at `<`.
exec 7<&0
start "$@" <&7 7<&- &
child=$!
exec 7<&-
stop() { kill -KILL "$child" 2>/dev/null; [ -z "$watch" ] || kill "$watch" 2>/dev/null; finish "$1"; }
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM
if [ "$seconds" -ne 0 ]; then
    (
        trap 'kill $! 2>/dev/null; exit' TERM
        sleep $((seconds + 10)) & wait $!
        kill -KILL "$child"
    ) </dev/null >/dev/null 2>&1 9>&- &
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
