// Default policy: `fflush` leaves the data to the system's cache. Replaced by commode.obj.
int __cdecl _get_startup_commit_mode(void) { return 0; }
