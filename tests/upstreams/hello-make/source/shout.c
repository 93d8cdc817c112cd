/* The plug-in: folds the text in capitals, through the library that the program has loaded already. */
#include <ctype.h>
#include "greet.h"

#ifdef _WIN32
__declspec(dllexport)
#endif
unsigned shout(const char *text)
{
    char loud[256];
    unsigned i;

    for (i = 0; text[i] && i < sizeof(loud) - 1; i++)
        loud[i] = (char)toupper((unsigned char)text[i]);
    loud[i] = 0;
    return greet_fold(loud);
}
