#include <stdio.h>
#include "table.h"

int main(void)
{
    unsigned count = sizeof table / sizeof *table, sum = 0;

    for (unsigned i = 0; i < count; i++)
        sum += table[i];
    printf("hello-host: %u squares, sum %u, made on %s\n", count, sum, TABLE_MADE_ON);
    return 0;
}
