// Linked against and then deleted: the DLL that is not there.
__declspec(dllexport) int absent(int value) { return value; }
