// Sockets beyond the basics: classes of addresses, interfaces and notices of their changes, and what is waited for on several sockets.
#include <winsock2.h>
#include <ws2tcpip.h>
#include <afunix.h>
#include <iphlpapi.h>
#include "check.h"
#include <stddef.h>

static int classes(const char *text) {
    IN6_ADDR address;
    CHECK(InetPtonA(AF_INET6, text, &address) == 1);
    return IN6_IS_ADDR_MULTICAST(&address) | IN6_IS_ADDR_MC_NODELOCAL(&address) << 1 | IN6_IS_ADDR_MC_LINKLOCAL(&address) << 2 |
           IN6_IS_ADDR_MC_SITELOCAL(&address) << 3 | IN6_IS_ADDR_MC_ORGLOCAL(&address) << 4 | IN6_IS_ADDR_MC_GLOBAL(&address) << 5 |
           IN6_IS_ADDR_V4MAPPED(&address) << 6 | IN6_IS_ADDR_LOOPBACK(&address) << 7;
}

static VOID WINAPI changed(PVOID context, PMIB_IPFORWARD_ROW2 row, MIB_NOTIFICATION_TYPE type) {
    (void)row;
    if (type == MibInitialNotification)
        ++*(int *)context;
}

int main(void) {
    WSADATA data;
    CHECK(WSAStartup(MAKEWORD(2, 2), &data) == 0);
    printf("%x %x %x %x %x %x\n", classes("ff01::1"), classes("ff02::1"), classes("ff0e::1"), classes("::ffff:1.2.3.4"), classes("::1"),
           classes("2001:db8::1"));
    printf("%d %d\n", IN_MULTICAST(0xe0000001), IN_MULTICAST(0x7f000001));
    struct sockaddr_un path = {AF_UNIX, "one.sock"};
    printf("unix %zu %zu %s\n", sizeof path, offsetof(struct sockaddr_un, sun_path), path.sun_path);
    SOCKET listener = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP), client = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int length = sizeof local;
    CHECK(bind(listener, (struct sockaddr *)&local, sizeof local) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&local, &length) == 0 && connect(client, (struct sockaddr *)&local, length) == 0);
    WSAPOLLFD waiting[] = {{listener, POLLRDNORM, 0}, {client, POLLRDNORM, 0}};
    printf("ready %d %d %d\n", WSAPoll(waiting, 2, 10000), (waiting[0].revents & POLLRDNORM) != 0, waiting[1].revents);
    SOCKET server = accept(listener, NULL, NULL);
    CHECK(server != INVALID_SOCKET && send(client, "twelve bytes", 12, 0) == 12);
    char text[13] = {0};
    CHECK(recv(server, text, 12, MSG_WAITALL) == 12);
    printf("%s\n", text);
    closesocket(server), closesocket(client), closesocket(listener);
    printf("name %d\n", IF_NAMESIZE);
    // Windows calls once at the start, from a thread of its own.
    int calls = 0;
    HANDLE notice = NULL;
    DWORD error = NotifyRouteChange2(AF_INET, changed, &calls, TRUE, &notice);
    printf("notice %lu", error);
    if (error == NO_ERROR && notice)
        CancelMibChangeNotify2(notice);
    printf(" calls %d\n", calls <= 1);
    return 0;
}
