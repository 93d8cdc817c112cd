#include "greet.h"

unsigned greet_fold(const char *text)
{
    unsigned hash = 2166136261u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}
