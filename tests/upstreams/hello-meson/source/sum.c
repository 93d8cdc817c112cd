#include <greet.h>
#include "sum.h"

unsigned sum(int count, char **texts)
{
    unsigned total = 0;

    while (count-- > 0)
        total += greet_fold(*texts++);
    return total;
}
