// `std::exception_ptr` of this ABI: the `__ExceptionPtr*` functions, to which libc++ hands two words of storage.
//
// On Windows they are msvcp140.dll's. Here they are part of the program, so that products need no C++ library DLL, and because Wine's
// rethrow hands out the kept object itself, which every handler then destroys. The first word is the shared block, the second unused.
// Source of the layouts: clang, CodeGen/MicrosoftCXXABI.cpp (getThrowInfo, getCatchableType); "exception_ptr" of the C++ standard.
extern "C" {
#include "../crt.h"
#define CXX_EXCEPTION 0xE06D7363u
void **__cdecl __current_exception(void);
}

namespace {

// What the compiler emits for a thrown type; every int is an address relative to the image.
struct catchable_type {
    unsigned properties;
    int type_descriptor;
    int displacements[3];
    int size;
    int copy_constructor;
};
struct catchable_types {
    int count;
    int types[1];
};
struct throw_info {
    unsigned attributes;
    int destructor;
    int forward_compatibility;
    int types;
};
// A copy constructor of a class with virtual bases takes a third argument, which says that the object is complete.
constexpr unsigned has_virtual_base = 4;

// Positions in ExceptionInformation of a C++ exception.
enum { magic_number, thrown_object, thrown_info, image_base, parameter_count };

// One exception, kept by any number of pointers, on any thread. The copy of the object follows the header.
struct alignas(16) shared {
    volatile long references;
    EXCEPTION_RECORD record;
    void *object() { return this + 1; }
};

bool is_cxx(const EXCEPTION_RECORD &record) {
    return record.ExceptionCode == CXX_EXCEPTION && record.NumberParameters == parameter_count &&
           record.ExceptionInformation[thrown_info] != 0;
}

const throw_info &info_of(const EXCEPTION_RECORD &record) {
    return *reinterpret_cast<const throw_info *>(record.ExceptionInformation[thrown_info]);
}

template <class T> T at(const EXCEPTION_RECORD &record, int offset) {
    return reinterpret_cast<T>(record.ExceptionInformation[image_base] + (unsigned)offset);
}

// The first catchable type is the type of the object itself; the others are its bases.
const catchable_type &type_of(const EXCEPTION_RECORD &record) {
    const auto *types = at<const catchable_types *>(record, info_of(record).types);
    return *at<const catchable_type *>(record, types->types[0]);
}

void copy_object(const EXCEPTION_RECORD &record, void *target) {
    const catchable_type &type = type_of(record);
    void *source = reinterpret_cast<void *>(record.ExceptionInformation[thrown_object]);
    if (type.copy_constructor == 0)
        __builtin_memcpy(target, source, (size_t)type.size);
    else if (type.properties & has_virtual_base)
        at<void(__cdecl *)(void *, void *, int)>(record, type.copy_constructor)(target, source, 1);
    else
        at<void(__cdecl *)(void *, void *)>(record, type.copy_constructor)(target, source);
}

void release(shared *block) {
    if (!block || InterlockedDecrement(&block->references) != 0)
        return;
    if (is_cxx(block->record) && info_of(block->record).destructor != 0)
        at<void(__cdecl *)(void *)>(block->record, info_of(block->record).destructor)(block->object());
    HeapFree(GetProcessHeap(), 0, block);
}

shared *retain(shared *block) {
    if (block)
        InterlockedIncrement(&block->references);
    return block;
}

// Keeps a copy of an exception. A C++ object is copied as its type says, another exception is its record alone.
shared *keep(const EXCEPTION_RECORD &record) {
    const size_t bytes = is_cxx(record) ? (size_t)type_of(record).size : 0;
    auto *block = static_cast<shared *>(HeapAlloc(GetProcessHeap(), 0, sizeof(shared) + bytes));
    // The standard wants a bad_alloc here, whose type belongs to the C++ library.
    if (!block)
        terminate();
    block->references = 1;
    block->record = record;
    block->record.ExceptionRecord = nullptr;
    if (bytes != 0) {
        try {
            copy_object(record, block->object());
        } catch (...) {
            // The copy threw: what it threw takes the place of the original, as the standard has it.
            HeapFree(GetProcessHeap(), 0, block);
            return keep(*static_cast<EXCEPTION_RECORD *>(*__current_exception()));
        }
        block->record.ExceptionInformation[thrown_object] = reinterpret_cast<ULONG_PTR>(block->object());
    }
    return block;
}

shared *&block_of(void *pointer) { return *static_cast<shared **>(pointer); }
shared *block_of(const void *pointer) { return *static_cast<shared *const *>(pointer); }

void set(void *pointer, shared *block) {
    static_cast<void **>(pointer)[0] = block;
    static_cast<void **>(pointer)[1] = nullptr;
}

} // namespace

void __cdecl __ExceptionPtrCreate(void *pointer) { set(pointer, nullptr); }

void __cdecl __ExceptionPtrDestroy(void *pointer) { release(block_of(pointer)); }

void __cdecl __ExceptionPtrCopy(void *target, const void *source) { set(target, retain(block_of(source))); }

void __cdecl __ExceptionPtrAssign(void *target, const void *source) {
    // Retained first: both may be the same pointer.
    shared *kept = retain(block_of(source));
    release(block_of(target));
    set(target, kept);
}

bool __cdecl __ExceptionPtrToBool(const void *pointer) { return block_of(pointer) != nullptr; }

bool __cdecl __ExceptionPtrCompare(const void *left, const void *right) { return block_of(left) == block_of(right); }

void __cdecl __ExceptionPtrSwap(void *left, void *right) {
    shared *kept = block_of(left);
    block_of(left) = block_of(right);
    block_of(right) = kept;
}

void __cdecl __ExceptionPtrCurrentException(void *pointer) {
    const auto *record = static_cast<const EXCEPTION_RECORD *>(*__current_exception());
    set(pointer, record ? keep(*record) : nullptr);
}

void __cdecl __ExceptionPtrCopyException(void *pointer, const void *object, const void *info) {
    PVOID base = nullptr;
    RtlPcToFileHeader(const_cast<void *>(info), &base);
    EXCEPTION_RECORD record = {};
    record.ExceptionCode = CXX_EXCEPTION;
    record.ExceptionFlags = EXCEPTION_NONCONTINUABLE;
    record.NumberParameters = parameter_count;
    record.ExceptionInformation[magic_number] = 0x19930520;
    record.ExceptionInformation[thrown_object] = reinterpret_cast<ULONG_PTR>(object);
    record.ExceptionInformation[thrown_info] = reinterpret_cast<ULONG_PTR>(info);
    record.ExceptionInformation[image_base] = reinterpret_cast<ULONG_PTR>(base);
    set(pointer, keep(record));
}

// Throws a copy, which the handler destroys; it stands in this frame, where a thrown object of the compiler's would stand too.
void __cdecl __ExceptionPtrRethrow(const void *pointer) {
    const shared *block = block_of(pointer);
    if (!block)
        terminate();
    EXCEPTION_RECORD record = block->record;
    if (is_cxx(record)) {
        void *copy = __builtin_alloca_with_align((size_t)type_of(record).size, 128);
        copy_object(record, copy);
        record.ExceptionInformation[thrown_object] = reinterpret_cast<ULONG_PTR>(copy);
    }
    RaiseException(record.ExceptionCode, record.ExceptionFlags, record.NumberParameters, record.ExceptionInformation);
}

// The C++ library declares the functions with `dllimport` and so calls through import pointers.
#define IMPORT_POINTER(function, mangled)                                                                               \
    extern "C" decltype(&function) const import_##function __asm__("__imp_" mangled);                                   \
    decltype(&function) const import_##function = function;
IMPORT_POINTER(__ExceptionPtrAssign, "?__ExceptionPtrAssign@@YAXPEAXPEBX@Z")
IMPORT_POINTER(__ExceptionPtrCompare, "?__ExceptionPtrCompare@@YA_NPEBX0@Z")
IMPORT_POINTER(__ExceptionPtrCopy, "?__ExceptionPtrCopy@@YAXPEAXPEBX@Z")
IMPORT_POINTER(__ExceptionPtrCopyException, "?__ExceptionPtrCopyException@@YAXPEAXPEBX1@Z")
IMPORT_POINTER(__ExceptionPtrCreate, "?__ExceptionPtrCreate@@YAXPEAX@Z")
IMPORT_POINTER(__ExceptionPtrCurrentException, "?__ExceptionPtrCurrentException@@YAXPEAX@Z")
IMPORT_POINTER(__ExceptionPtrDestroy, "?__ExceptionPtrDestroy@@YAXPEAX@Z")
IMPORT_POINTER(__ExceptionPtrRethrow, "?__ExceptionPtrRethrow@@YAXPEBX@Z")
IMPORT_POINTER(__ExceptionPtrSwap, "?__ExceptionPtrSwap@@YAXPEAX0@Z")
IMPORT_POINTER(__ExceptionPtrToBool, "?__ExceptionPtrToBool@@YA_NPEBX@Z")
