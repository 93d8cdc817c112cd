// Link option commode.obj: `fflush` writes to the disk (`_IOCOMMIT`).
int __cdecl _get_startup_commit_mode(void) { return 0x4000; }
