// The link options setargv.obj and noarg.obj replace the policy that the start-up code hands to the UCRT. The expansion itself is the
// UCRT's, and Wine's does not do it, so the policy is what is looked at, together with what arrives without options.
#include "check.h"

int _get_startup_argv_mode(void);

int main(int argc, char **argv) {
    printf("policy %d\n", _get_startup_argv_mode());
    if (_get_startup_argv_mode() == 1)
        printf("arguments %d [%s]\n", argc - 1, argv[1]);
    return 0;
}
