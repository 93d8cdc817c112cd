// What the delay-load objects share.
#pragma once

#include "../crt.h"
#include "../../include/delayimp.h"

// Turns a field of a descriptor into an address of this image.
#define DELAY_ADDRESS(type, rva) ((type)((char *)&__ImageBase + (rva)))

// The work of `__delayLoadHelper2`; that name itself may only be called from a thunk (src/delay/entry_*.S).
FARPROC WINAPI __windlass_delay_resolve(PCImgDelayDescr descriptor, FARPROC *entry);
// Finds the descriptor of a delay-loaded DLL of this image, or null. Names compare as file names do, without case.
PCImgDelayDescr __windlass_delay_find(LPCSTR dll);
// Number of functions that the image takes from the DLL.
unsigned __windlass_delay_count(PCImgDelayDescr descriptor);
// Writes one entry of the delay import table, also where the linker has put the table into a read-only section.
void __windlass_delay_store(FARPROC *entry, FARPROC value);
// Remembers the state of the table before its first change; null memory means that the DLL cannot be unloaded later.
void __windlass_delay_remember(PCImgDelayDescr descriptor);
// Puts the table back to what it was before the first call; false when nothing is known about that state.
BOOL __windlass_delay_restore(PCImgDelayDescr descriptor);
