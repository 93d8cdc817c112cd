/* Folds a text into a number that nobody could have printed without folding it (FNV-1a, 32 bits). */
#ifndef GREET_H
#define GREET_H

#if defined(_WIN32) && defined(GREET_BUILD)
#define GREET_API __declspec(dllexport)
#elif defined(_WIN32)
#define GREET_API __declspec(dllimport)
#else
#define GREET_API
#endif

/* The number in the library's name. */
#define GREET_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

GREET_API unsigned greet_fold(const char *text);

#ifdef __cplusplus
}
#endif

#endif
