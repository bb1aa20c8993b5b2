// Tries: reads the judge's keys, and leaves a key where a later run would find it
// Control: yes
#include "attack.h"
#include <linux/keyctl.h>
#include <sys/syscall.h>

int main(void)
{
    static const int rings[] = {KEY_SPEC_THREAD_KEYRING, KEY_SPEC_PROCESS_KEYRING, KEY_SPEC_SESSION_KEYRING,
                                KEY_SPEC_USER_KEYRING, KEY_SPEC_USER_SESSION_KEYRING};
    char text[256], name[32];
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        snprintf(name, sizeof name, "keyring %d", rings[i]);
        if (syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, rings[i], 0) == -1)
            refused(name);
        else
            escaped("%s can be reached", name);
        if (syscall(SYS_keyctl, KEYCTL_READ, rings[i], text, sizeof text, 0) == -1)
            refused(name);
        else
            escaped("%s can be read", name);
    }
    TRY(syscall(SYS_add_key, "user", canary("mark"), "secret", 6, KEY_SPEC_PROCESS_KEYRING));
    TRY(syscall(SYS_request_key, "user", "judge", NULL, KEY_SPEC_PROCESS_KEYRING));
    TRY(syscall(SYS_keyctl, KEYCTL_GET_PERSISTENT, -1, KEY_SPEC_PROCESS_KEYRING, 0, 0));
    TRY(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0));
}
