// Tries: fill the buffers of sockets, which are the kernel's memory, and keep descriptors in flight in them
// Control: yes

#include <attack.h>
#include <sys/socket.h>

int main(void)
{
    int ends[2];
    TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    TRY(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    TRY(socket(AF_UNIX, SOCK_STREAM, 0));
    TRY(socket(AF_INET, SOCK_DGRAM, 0));
}
