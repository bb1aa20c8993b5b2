// Tries: changes what the kernel knows of it so that the judge sees less or can do less: prctl, personality, arch_prctl
// Control: yes
#include "calls.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>

int main(void)
{
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog own = {1, &allow};
    TRY(prctl(PR_SET_PDEATHSIG, 0));
    TRY(prctl(PR_SET_DUMPABLE, 0));
    TRY(prctl(PR_SET_CHILD_SUBREAPER, 1));
    TRY(prctl(PR_SET_MM, PR_SET_MM_ARG_START, environ, 0, 0));
    TRY(prctl(PR_SET_TIMERSLACK, 1));
    TRY(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
    TRY(prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0));
    TRY(prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0));
    TRY(prctl(PR_SET_PTRACER, -1, 0, 0, 0));
    TRY(prctl(PR_SET_UNALIGN, 0));
    TRY(prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, NULL));
    TRY(prctl(62 /* PR_SCHED_CORE */, 1 /* create */, 0, 1, 0));
    TRY(prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0));
    TRY(prctl(PR_SET_DUMPABLE | 1ul << 32, 0));
#ifdef __x86_64__
    TRY(prctl(PR_SET_TSC, PR_TSC_ENABLE));
#endif
    /* Own filters: their listener would answer in place of the judge's. */
    TRY(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &own));
    REACH(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &own);
    REACH(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &own);
    REACH(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &own);
    REACH(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, (char[16]){0});
    REACH(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL);
    REACH(CALL_landlock_restrict_self, -1, 0);
    TRY(syscall(SYS_personality, ADDR_NO_RANDOMIZE));
    TRY(syscall(SYS_personality, PER_LINUX32));
    TRY(syscall(SYS_personality, READ_IMPLIES_EXEC | MMAP_PAGE_ZERO));
}
