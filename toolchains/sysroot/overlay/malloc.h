/* Wine lacks _aligned_msize, _resetstkoflw, and _malloca and _freea: memory of the stack below a threshold, of the heap above it. What was taken is written in
 * front of it. */
#include_next <malloc.h>
#ifndef SYSROOT_MALLOC_H
#define SYSROOT_MALLOC_H
#ifdef __cplusplus
extern "C" {
#endif
_ACRTIMP size_t __cdecl _aligned_msize(void *, size_t, size_t);
_ACRTIMP int __cdecl _resetstkoflw(void);
#ifdef __cplusplus
}
#endif

#define _ALLOCA_S_THRESHOLD 1024
#define _ALLOCA_S_STACK_MARKER 0xCCCC
#define _ALLOCA_S_HEAP_MARKER 0xDDDD
/* As large as what malloc and the stack are aligned to, so that the rest stays aligned. */
#define _ALLOCA_S_MARKER_SIZE 16
#ifdef __cplusplus
extern "C" {
#endif
static __inline void *_MarkAllocaS(void *memory, unsigned int marker)
{
    if (!memory)
        return memory;
    *(unsigned int *)memory = marker;
    return (char *)memory + _ALLOCA_S_MARKER_SIZE;
}
static __inline void __cdecl _freea(void *memory)
{
    if (memory) {
        memory = (char *)memory - _ALLOCA_S_MARKER_SIZE;
        if (*(unsigned int *)memory == _ALLOCA_S_HEAP_MARKER)
            free(memory);
    }
}
#ifdef __cplusplus
}
#endif
#define _malloca(size)                                                                                                   \
    ((size_t)(size) + _ALLOCA_S_MARKER_SIZE < (size_t)(size) ? (void *)0                                                \
     : (size_t)(size) + _ALLOCA_S_MARKER_SIZE <= _ALLOCA_S_THRESHOLD                                                     \
         ? _MarkAllocaS(_alloca((size_t)(size) + _ALLOCA_S_MARKER_SIZE), _ALLOCA_S_STACK_MARKER)                         \
         : _MarkAllocaS(malloc((size_t)(size) + _ALLOCA_S_MARKER_SIZE), _ALLOCA_S_HEAP_MARKER))
#endif
