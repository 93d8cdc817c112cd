// Waiting for a value in memory to change, and for a time to pass without a change.
#include "check.h"

static volatile LONG turn;

static DWORD WINAPI other(void *unused) {
    (void)unused;
    for (LONG round = 0; round < 1000; ++round) {
        for (LONG seen = turn; seen != 2 * round + 1; seen = turn)
            CHECK(WaitOnAddress(&turn, &seen, sizeof seen, 60000));
        InterlockedIncrement(&turn);
        WakeByAddressSingle((void *)&turn);
    }
    return 0;
}

int main(void) {
    HANDLE thread = CreateThread(NULL, 0, other, NULL, 0, NULL);
    CHECK(thread);
    for (LONG round = 0; round < 1000; ++round) {
        InterlockedIncrement(&turn);
        WakeByAddressAll((void *)&turn);
        for (LONG seen = turn; seen != 2 * round + 2; seen = turn)
            CHECK(WaitOnAddress(&turn, &seen, sizeof seen, 60000));
    }
    CHECK(WaitForSingleObject(thread, 60000) == WAIT_OBJECT_0);
    LONG same = turn;
    BOOL woken = WaitOnAddress(&turn, &same, sizeof same, 20);
    DWORD error = GetLastError();
    printf("turns %ld woken %d timeout %d\n", turn, woken, error == ERROR_TIMEOUT);
    return 0;
}
