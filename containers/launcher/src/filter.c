/* The seccomp programs of the slot, which the driver makes (containers/launcher/filters). They are installed as they came,
 * but for the number of a program's own process. */
#define _GNU_SOURCE
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter.h"
#include "gvisor.h"

void put_own_number(struct slot *slot, enum filter filter, pid_t pid)
{
    const struct program *program = &slot->walls->programs[filter];
    for (uint32_t i = 0; i < program->owns; i++)
        slot->walls->begin[filter][program->own[i]].k = (uint32_t)pid;
}

int install_filter(const struct slot *slot, enum filter filter, unsigned flags)
{
    const struct sock_fprog program = {(unsigned short)slot->walls->programs[filter].length,
                                       slot->walls->begin[filter]};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Not on gVisor: its kernel is the slot's own. Kernels that hold back speculation for a filter's sake (4.17 to 5.15) do so
 * for programs, by theirs. */
int limit_calls(const struct slot *slot)
{
    if (!ON_GVISOR && install_filter(slot, FILTER_HELPER, SECCOMP_FILTER_FLAG_SPEC_ALLOW) < 0)
        TRY(install_filter(slot, FILTER_HELPER, 0), STAGE_FILTER, 1);
    return 0;
}

/* What a call that reached the listener is to be counted as. */
enum count counted_as(const struct slot *slot, int call, const unsigned long long *arguments)
{
    for (uint32_t i = 0; i < slot->walls->fixed.listened; i++) {
        const struct listened *row = &slot->walls->listened[i];
        if ((int)row->call == call)
            return (enum count)(arguments[row->argument] & row->bits ? row->with_bits : row->without);
    }
    return COUNT_NONE;
}
