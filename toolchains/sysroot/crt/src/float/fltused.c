// Objects that use floating point refer to this symbol; its value tells old tools that they do. No code reads it.
int _fltused = 0x9875;
