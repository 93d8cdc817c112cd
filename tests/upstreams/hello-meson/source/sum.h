/* Adds up what the other upstream's library makes of several texts. */
#if defined(_WIN32) && defined(SUM_BUILD)
#define SUM_API __declspec(dllexport)
#elif defined(_WIN32)
#define SUM_API __declspec(dllimport)
#else
#define SUM_API
#endif

SUM_API unsigned sum(int count, char **texts);
