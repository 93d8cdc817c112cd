#!/bin/sh
# enter USER GROUP PROGRAM ARGS…
# Runs PROGRAM where the kernel hands every program for @TARGET@ to the emulator, those too that PROGRAM starts. Called as
# root of namespaces of users and mounts of its own, which see a list of such formats of their own (Linux 6.7 and later); where the
# kernel has none, PROGRAM runs all the same and cannot start others for @TARGET@. PROGRAM runs as USER again, by number, who has no rights here.
user=$1 group=$2
shift 2
formats=@FOLDER@/formats
# Kernel's Documentation/admin-guide/binfmt-misc.rst. By the header's class, byte order, version and machine, for EXEC and DYN;
# `P` keeps the name under which a program is started.
if mount -t binfmt_misc windlass "$formats" 2>/dev/null; then
    printf '%s' ':windlass:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x@MACHINE@\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'@FOLDER@'/child:P' >"$formats/register"
fi
[ "$user" -eq 0 ] || exec unshare --user --map-user="$user" --map-group="$group" "$@"
exec "$@"
