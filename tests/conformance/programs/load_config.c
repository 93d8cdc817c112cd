// The load configuration directory of the running image: size, cookie, and that both of its addresses are this image's own.
#include "check.h"

extern ULONG_PTR __security_cookie;
extern void *__guard_check_icall_fptr;
extern IMAGE_DOS_HEADER __ImageBase;

int main(void) {
    const char *base = (const char *)&__ImageBase;
    const IMAGE_NT_HEADERS64 *headers = (const IMAGE_NT_HEADERS64 *)(base + __ImageBase.e_lfanew);
    const IMAGE_DATA_DIRECTORY entry = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG];
    const IMAGE_LOAD_CONFIG_DIRECTORY64 *config = (const IMAGE_LOAD_CONFIG_DIRECTORY64 *)(base + entry.VirtualAddress);
    CHECK(entry.VirtualAddress != 0);
    CHECK(config->SecurityCookie == (ULONGLONG)&__security_cookie);
    CHECK(config->GuardCFCheckFunctionPointer == (ULONGLONG)&__guard_check_icall_fptr);
    printf("directory %lx size %lx\n", entry.Size, config->Size);
    const int tables = config->GuardCFFunctionTable != 0 && config->GuardCFFunctionCount > 0;
    printf("tables %d characteristic %d\n", tables,
           (headers->OptionalHeader.DllCharacteristics & IMAGE_DLLCHARACTERISTICS_GUARD_CF) != 0);
#ifdef WINDLASS_GUARD
    // Indirect calls through the check or dispatch pointer, and a jump to a table of valid targets.
    int (*volatile compare)(const char *, const char *) = strcmp;
    int (*volatile convert)(const char *) = atoi;
    printf("indirect %d %d\n", compare("b", "a") > 0, convert("37"));
#endif
    return 0;
}
