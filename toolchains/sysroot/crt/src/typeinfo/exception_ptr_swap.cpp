// `__ExceptionPtrSwap`, which Windows' msvcp140.dll exports and Wine's does not, so that the import library cannot offer it.
//
// An exception_ptr of this ABI is two pointers, the object and its count; swapping moves no ownership.
void __cdecl __ExceptionPtrSwap(void *left, void *right) noexcept {
    struct pointers {
        void *object;
        void *count;
    };
    pointers &first = *static_cast<pointers *>(left), &second = *static_cast<pointers *>(right);
    const pointers kept = first;
    first = second;
    second = kept;
}

// The C++ library declares the function with `dllimport` and so calls through the import pointer.
extern "C" void(__cdecl *const import_pointer)(void *, void *) noexcept __asm__("__imp_?__ExceptionPtrSwap@@YAXPEAX0@Z");
void(__cdecl *const import_pointer)(void *, void *) noexcept = __ExceptionPtrSwap;
