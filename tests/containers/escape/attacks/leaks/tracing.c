// Tries: watches other programs and the kernel: performance counters, BPF, tracing files, kernel symbols and memory
// Control: yes
#include "calls.h"
#include <fcntl.h>
#include <linux/perf_event.h>

int main(void)
{
    struct perf_event_attr counter = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof counter, .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
    counter.exclude_kernel = 1;
    reach("perf_event_open of itself", syscall(SYS_perf_event_open, &counter, 0, -1, -1, 0));
    reach("perf_event_open of the neighbour",
          syscall(SYS_perf_event_open, &counter, canary_number("neighbour"), -1, -1, 0));
    reach("perf_event_open of a processor", syscall(SYS_perf_event_open, &counter, -1, 0, -1, 0));
    REACH(SYS_bpf, -1, NULL, 0);
    static const char *const files[] = {"/proc/kallsyms",
                                        "/proc/kcore",
                                        "/proc/kpageflags",
                                        "/proc/modules",
                                        "/proc/slabinfo",
                                        "/proc/interrupts",
                                        "/proc/schedstat",
                                        "/proc/timer_list",
                                        "/proc/sched_debug",
                                        "/proc/vmstat",
                                        "/proc/locks",
                                        "/proc/keys",
                                        "/sys/kernel/tracing/trace",
                                        "/sys/kernel/debug/sched/debug",
                                        "/sys/kernel/mm/ksm/run",
                                        "/dev/mem",
                                        "/dev/port",
                                        "/dev/cpu/0/msr",
                                        "/boot/config-6.1.0",
                                        "/sys/kernel/notes",
                                        "/sys/kernel/btf/vmlinux"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char byte;
        int fd = open(files[i], O_RDONLY | O_NONBLOCK);
        if (fd < 0)
            refused(files[i]);
        else if (read(fd, &byte, 1) == 1)
            escaped("read %s", files[i]);
        else
            held("%s is empty", files[i]);
    }
}
