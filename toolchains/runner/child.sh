#!/bin/sh
# child PATH NAME ARGS…
# What the kernel starts in the place of a program for @TARGET@ that another one has started: PATH under the emulator, which tells
# it NAME as its own. The CPU is that of the first program, whose environment says it.
program=$1 name=$2
shift 2
exec @EMULATOR@ -cpu "${QEMU_CPU:-@CPU@}" -L @SYSROOT@ -0 "$name" "$program" "$@"
