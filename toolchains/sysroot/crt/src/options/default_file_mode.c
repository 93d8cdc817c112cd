// Default policy: files open as text (`_O_TEXT`). Replaced by binmode.obj.
int __cdecl _get_startup_file_mode(void) { return 0x4000; }
