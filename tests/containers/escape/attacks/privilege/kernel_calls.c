// Tries: the calls that most escapes begin with: io_uring, userfaultfd, bpf, modules, kexec, reboot, clocks, quotas
// Control: yes
#include "calls.h"
#include <fcntl.h>

int main(void)
{
    /* With arguments that the kernel would refuse, should it come to look at them. */
    REACH(SYS_io_uring_setup, 0, NULL);
    REACH(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0);
    REACH(SYS_io_uring_register, -1, 0, NULL, 0);
    REACH(SYS_userfaultfd, -1);
    REACH(SYS_userfaultfd, 1 /* user mode only */);
    REACH(SYS_bpf, -1, NULL, 0);
    REACH(SYS_init_module, NULL, 0, NULL);
    REACH(SYS_finit_module, -1, NULL, -1);
    REACH(SYS_delete_module, NULL, 0);
    REACH(SYS_kexec_load, 0, -1, NULL, -1);
    REACH(SYS_reboot, 0, 0, 0, NULL);
    REACH(SYS_swapon, NULL, -1);
    REACH(SYS_swapoff, NULL);
    REACH(SYS_acct, "/nowhere");
    REACH(SYS_quotactl, -1, NULL, 0, NULL);
    REACH(CALL_quotactl_fd, -1, -1, 0, NULL);
    REACH(SYS_syslog, -1, NULL, -1);
    REACH(SYS_sethostname, NULL, -1);
    REACH(SYS_setdomainname, NULL, -1);
    REACH(SYS_settimeofday, -1, NULL);
    REACH(SYS_clock_settime, -1, NULL);
    REACH(SYS_adjtimex, NULL);
    REACH(SYS_clock_adjtime, -1, NULL);
    REACH(SYS_vhangup);
    REACH(SYS_add_key, NULL, NULL, NULL, 0, 0);
    REACH(SYS_request_key, NULL, NULL, NULL, 0);
    REACH(SYS_keyctl, -1, 0, 0, 0, 0);
    REACH(SYS_perf_event_open, NULL, 0, -1, -1, -1);
    REACH(SYS_fanotify_init, -1, 0);
    REACH(SYS_name_to_handle_at, -1, NULL, NULL, NULL, 0);
    REACH(SYS_open_by_handle_at, -1, NULL, 0);
    REACH(SYS_move_pages, 0, 0, NULL, NULL, NULL, -1);
    REACH(SYS_migrate_pages, 0, 0, NULL, NULL);
    REACH(SYS_mbind, 0, 0, -1, NULL, 0, -1);
    REACH(SYS_set_mempolicy, -1, NULL, 0);
    REACH(SYS_remap_file_pages, 1, 0, 0, 0, 0);
    REACH(SYS_vmsplice, -1, NULL, 0, -1);
    REACH(SYS_io_setup, 0, NULL);
    REACH(SYS_io_submit, 0, -1, NULL);
    REACH(CALL_landlock_create_ruleset, NULL, 0, 1);
    REACH(CALL_memfd_secret, -1);
    REACH(CALL_lsm_get_self_attr, 0, NULL, NULL, 0);
#ifdef __x86_64__
    REACH(SYS_modify_ldt, 0, NULL, 0);
    REACH(SYS_iopl, 3);
    REACH(SYS_ioperm, 0, -1, 1);
    REACH(SYS_uselib, NULL);
    REACH(SYS__sysctl, NULL);
    REACH(SYS_kexec_file_load, -1, -1, 0, NULL, -1);
    REACH(SYS_set_thread_area, NULL);
#endif
    for (long number = 470; number < 640; number++) { /* what no table knows yet */
        long result = syscall(number, -1, -1, -1, -1, -1, -1);
        if (result != -1 || errno != ENOSYS)
            escaped("call %ld is let through: %s", number, strerrorname_np(errno));
    }
}
