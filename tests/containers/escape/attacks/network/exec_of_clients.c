// Tries: becomes another program of the view that would make the connection for it
// Control: yes
#include "attack.h"

int main(void)
{
    const char *port = canary("tcp");
    char script[512];
    snprintf(script, sizeof script,
             "import socket\n"
             "try:\n socket.create_connection(('127.0.0.1', %s), 0.2); print('ESCAPED python connected')\n"
             "except OSError as error: print('HELD', error)",
             port);
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
    execlp("python3", "python3", "-I", "-S", "-c", script, (char *)NULL);
    snprintf(script, sizeof script, "exec 3<>/dev/tcp/127.0.0.1/%s && echo ESCAPED bash connected; echo HELD bash",
             port);
    execlp("bash", "bash", "-c", script, (char *)NULL);
    refused("exec");
}
