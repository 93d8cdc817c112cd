// Link option binmode.obj: files open as binary (`_O_BINARY`).
int __cdecl _get_startup_file_mode(void) { return 0x8000; }
