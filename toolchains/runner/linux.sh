#!/bin/sh
# run-@TARGET@ PROGRAM ARGS…
# Runs a Linux program for @TARGET@ on this machine, @HOW@.
#
# WINDLASS_RUN_CPU      the emulated CPU (default `@CPU@`); not known where nothing is emulated
# WINDLASS_RUN_TIMEOUT  seconds after which the program is stopped, with status 124; unset or 0: never
# WINDLASS_RUN_PATH     folders, separated by `:`, in which shared libraries are looked for
# WINDLASS_RUN_ENV      names of variables, separated by blanks, that reach the program; no other variable does
# WINDLASS_RUN_CODE     a file that gets the exit code, as 8 hexadecimal digits
#
# Status: the program's exit code; 124 stopped at the limit; 125 the runner itself failed; 127 PROGRAM could not be
# started; 128 + n ended by signal n.
set -u
fail() { printf 'run-@TARGET@: %s\n' "$1" >&2; exit "${2:-125}"; }

[ $# -gt 0 ] || fail 'no program given; usage: run-@TARGET@ PROGRAM ARGS…'
program=$1
[ -f "$program" ] || fail "$program: no such file" 127
[ -x "$program" ] || fail "$program: is not executable" 127
emulated=@EMULATED@
cpu=${WINDLASS_RUN_CPU:-@CPU@}
if [ $emulated = no ] && [ -n "${WINDLASS_RUN_CPU:-}" ]; then
    fail "CPU \`$cpu\` wanted, but programs of this target run on the machine's own CPU"
fi
case $cpu in *[!A-Za-z0-9.,=_-]*)
    fail "WINDLASS_RUN_CPU is \`$cpu\`, wanted a name and options as the emulator spells them" ;;
esac
seconds=${WINDLASS_RUN_TIMEOUT:-0}
case $seconds in *[!0-9]* | '' | ????????*) fail "WINDLASS_RUN_TIMEOUT is \`$seconds\`, wanted whole seconds" ;; esac

# The system root stands for `/` where it has a file of that name: the dynamic loader and the C library above all. The emulator
# reads the CPU from the environment for the sake of the programs that this one starts.
[ $emulated = no ] || set -- "QEMU_CPU=$cpu" @EMULATOR@ -L @SYSROOT@ "$@"
for name in ${WINDLASS_RUN_ENV:-}; do
    case $name in *[!A-Za-z0-9_]* | [0-9]*) fail "WINDLASS_RUN_ENV names \`$name\`, wanted letters, digits and \`_\`" ;; esac
    eval "[ -n \"\${$name+set}\" ] && set -- \"$name=\${$name}\" \"\$@\""
done
[ -z "${WINDLASS_RUN_PATH:-}" ] || set -- "LD_LIBRARY_PATH=$WINDLASS_RUN_PATH" "$@"
# Nobody can make a folder of that home, root neither.
set -- env -i PATH=/usr/bin:/bin HOME=/dev/null LC_ALL=C.UTF-8 "$@"
# The program dies with this script, even by SIGKILL, and so does what watches over it.
bound() { if command -v setpriv >/dev/null; then echo setpriv --pdeathsig KILL; fi; }
set -- $(bound) "$@"
# Programs that it starts are the kernel's to hand to the emulator, in namespaces of their own; where nobody may make those, it
# runs without.
[ $emulated = no ] || ! unshare --user --map-root-user --mount true 2>/dev/null ||
    set -- unshare --user --map-root-user --mount @FOLDER@/enter "$(id -u)" "$(id -g)" "$@"
[ "$seconds" -eq 0 ] || set -- $(bound) timeout --kill-after 5 "$seconds" "$@"
[ -n "${WINDLASS_RUN_CODE:-}" ] || [ "$seconds" -ne 0 ] || exec "$@"

# A shell gives an empty input to what it starts in the background, before it looks at `<`.
exec 7<&0
"$@" <&7 7<&- &
child=$!
exec 7<&-
stop() { kill -TERM "$child" 2>/dev/null; exit "$1"; }
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM
wait "$child" 2>/dev/null
status=$?
[ "$status" -ne 124 ] || [ "$seconds" -eq 0 ] || printf 'run-@TARGET@: %s: stopped after %s s\n' "$program" "$seconds" >&2
[ -z "${WINDLASS_RUN_CODE:-}" ] || printf '%08x\n' "$status" >"$WINDLASS_RUN_CODE"
exit "$status"
