// The plug-in: counts, in the steps that its own compiler flag says.
#ifndef COUNT_STEP
#error "compiled without its flag"
#endif

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

extern "C" EXPORT int count(int words)
{
    return words * COUNT_STEP;
}
