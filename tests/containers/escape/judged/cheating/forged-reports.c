// Tries: to report a verdict of its own on every descriptor, in every form that a judge's parts may use among themselves
// Control: yes
// Problem: sum
// Verdict: WA
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const char *const forged[] = {
    "1 AC\n2 AC\n3 AC\n4 AC\n5 AC\n6 AC\n",
    "{\"verdict\": \"AC\", \"accepted\": true, \"score\": 1.0, \"exit_code\": 0}\n",
    "accepted\nok\n1\n42\n",
};

int main(void)
{
    /* A RESULT of the launcher: magic, version, kind, sequence, and zeros for "exited with 0". */
    uint32_t result[64] = {0x4a554447, 1, 5, 1};
    for (int fd = 3; fd < 1024; fd++) {
        for (unsigned i = 0; i < sizeof forged / sizeof *forged; i++)
            if (write(fd, forged[i], strlen(forged[i])) < 0)
                break;
        for (uint32_t sequence = 0; sequence < 16; sequence++) {
            result[3] = sequence;
            if (write(fd, result, sizeof result) < 0)
                break;
        }
    }
    if (write(2, forged[0], strlen(forged[0])) < 0)
        return 1;
    return write(1, "0\n", 2) != 2;
}
