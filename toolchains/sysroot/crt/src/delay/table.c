// The delay import tables of this image: finding them, writing them, and putting them back.
//
// Microsoft's linker emits a second copy of each table for unloading when it is asked to (/DELAY:UNLOAD). LLD has no such option, so
// the copy is taken here, before the first change.
#include "delay.h"

struct original {
    struct original *next;
    PCImgDelayDescr descriptor;
    FARPROC entries[];
};

static SRWLOCK lock = SRWLOCK_INIT;
static struct original *originals;

static const IMAGE_DATA_DIRECTORY *directory(void) {
    const IMAGE_NT_HEADERS64 *headers = DELAY_ADDRESS(const IMAGE_NT_HEADERS64 *, __ImageBase.e_lfanew);
    return &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT];
}

PCImgDelayDescr __windlass_delay_find(LPCSTR dll) {
    const IMAGE_DATA_DIRECTORY *entry = directory();
    if (entry->VirtualAddress == 0)
        return NULL;
    PCImgDelayDescr descriptor = DELAY_ADDRESS(PCImgDelayDescr, entry->VirtualAddress);
    for (; descriptor->rvaDLLName != 0; ++descriptor)
        if (lstrcmpiA(DELAY_ADDRESS(LPCSTR, descriptor->rvaDLLName), dll) == 0)
            return descriptor;
    return NULL;
}

unsigned __windlass_delay_count(PCImgDelayDescr descriptor) {
    PCImgThunkData names = DELAY_ADDRESS(PCImgThunkData, descriptor->rvaINT);
    unsigned count = 0;
    while (names[count].u1.AddressOfData != 0)
        ++count;
    return count;
}

// The caller holds the lock: two threads that change the protection of one page would otherwise undo each other's change.
static void store(FARPROC *entry, FARPROC value) {
    const DWORD writable = PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
    MEMORY_BASIC_INFORMATION page;
    DWORD kept = 0;
    BOOL changed = FALSE;
    if (VirtualQuery(entry, &page, sizeof page) && !(page.Protect & writable))
        changed = VirtualProtect(entry, sizeof *entry, PAGE_READWRITE, &kept);
    InterlockedExchangePointer((PVOID volatile *)entry, (PVOID)value);
    if (changed)
        VirtualProtect(entry, sizeof *entry, kept, &kept);
}

void __windlass_delay_store(FARPROC *entry, FARPROC value) {
    AcquireSRWLockExclusive(&lock);
    store(entry, value);
    ReleaseSRWLockExclusive(&lock);
}

static struct original *known(PCImgDelayDescr descriptor) {
    for (struct original *original = originals; original; original = original->next)
        if (original->descriptor == descriptor)
            return original;
    return NULL;
}

void __windlass_delay_remember(PCImgDelayDescr descriptor) {
    AcquireSRWLockExclusive(&lock);
    if (descriptor->rvaUnloadIAT == 0 && !known(descriptor)) {
        const SIZE_T bytes = __windlass_delay_count(descriptor) * sizeof(FARPROC);
        struct original *original = HeapAlloc(GetProcessHeap(), 0, sizeof *original + bytes);
        if (original) {
            original->descriptor = descriptor;
            __builtin_memcpy(original->entries, DELAY_ADDRESS(FARPROC *, descriptor->rvaIAT), bytes);
            original->next = originals;
            originals = original;
        }
    }
    ReleaseSRWLockExclusive(&lock);
}

BOOL __windlass_delay_restore(PCImgDelayDescr descriptor) {
    const unsigned count = __windlass_delay_count(descriptor);
    FARPROC *table = DELAY_ADDRESS(FARPROC *, descriptor->rvaIAT);
    AcquireSRWLockExclusive(&lock);
    struct original *original = known(descriptor);
    const FARPROC *source = descriptor->rvaUnloadIAT ? DELAY_ADDRESS(const FARPROC *, descriptor->rvaUnloadIAT)
                            : original               ? original->entries
                                                     : NULL;
    for (unsigned index = 0; source && index < count; ++index)
        store(&table[index], source[index]);
    ReleaseSRWLockExclusive(&lock);
    return source != NULL;
}
