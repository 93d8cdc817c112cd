#!/bin/sh
# Stands in the place of Wine's `@PROGRAM@`: Wine starts its own processes by this path. The C library's loader runs the
# program, so that the machine's own C library and library path are never asked.
here=@BIN@
exec @EMULATOR@"$here/ld.so" --argv0 "$here/@PROGRAM@" --library-path "@LIBRARIES@" "$here/@PROGRAM@.bin" @ARGUMENTS@
