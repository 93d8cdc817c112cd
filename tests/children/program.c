/* Started without arguments, it starts itself under another name and with an empty environment, as programs do that fork and as
   programs do that spawn; the child says its name and its processor. */
#include <spawn.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char *child[] = { "another name", "child", NULL }, *nothing[] = { NULL };
    struct utsname machine;
    int status;
    pid_t pid;

    if (argc > 1) {
        uname(&machine);
        printf("%s on %s\n", argv[0], machine.machine);
        return 7;
    }
    pid = fork();
    if (pid == 0) {
        execve(argv[0], child, nothing);
        perror("execve");
        _exit(1);
    }
    waitpid(pid, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
    if (posix_spawn(&pid, argv[0], NULL, NULL, child, nothing))
        return 1;
    waitpid(pid, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
