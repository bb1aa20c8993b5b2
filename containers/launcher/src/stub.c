/* One run. The stub is pid 1 of the run's namespaces, the program its only child; what happens to the program is seen
 * and timed from here, and everything in the namespace ends with the stub. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "box.h"
#include "filter.h"
#include "gvisor.h"
#include "messages.h"
#include "powers.h"
#include "run.h"
#include "stub.h"
#include "view.h"

#define CPU_SIGNAL SIGRTMIN
#define WAITED_MIN_NS 1000000ull /* less is not worth another look */
#define LONG_NS 1000000000ull    /* a shorter run is not asked how long it waited */

/* A timer on the program's own CPU clock: no polling, and time spent elsewhere does not count. */
static int start_cpu_timer(struct live *live)
{
    uint64_t cpu_ns = live->request->fixed.cpu_ns;
    if (cpu_ns == 0)
        return 0;
    const clockid_t clock = (~(clockid_t)live->program << 3) | 2; /* CPUCLOCK_SCHED of a process */
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = CPU_SIGNAL};
    const struct itimerspec when = {.it_value = {(time_t)(cpu_ns / 1000000000), (long)(cpu_ns % 1000000000)}};
    TRY(timer_create(clock, &event, &live->timer), STAGE_TIMER, 0);
    live->timed = true;
    TRY(timer_settime(live->timer, 0, &when, NULL), STAGE_TIMER, 1);
    return 0;
}

void add_usage(struct result *result, const struct rusage *usage)
{
    result->cpu_ns += (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000 +
                      (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
    if ((uint64_t)usage->ru_maxrss * 1024 > result->maxrss_bytes)
        result->maxrss_bytes = (uint64_t)usage->ru_maxrss * 1024;
}

/* Reaps, and counts what it and those that it reaped itself have used. gVisor tells that only of all together. */
static pid_t reap_one(struct live *live, pid_t pid, int *status, int flags)
{
    struct rusage usage;
    pid = wait4(pid, status, flags, &usage);
    if (pid > 0 && !ON_GVISOR)
        add_usage(&live->result, &usage);
    return pid;
}

/* How long the run has waited for a core, at most its wall limit. Of several processes we see those that live alone, so
 * that it is a lower bound. */
static uint64_t waited(struct live *live)
{
    const struct run *run = &live->request->fixed;
    if (find_number(live) <= 0)
        return 0;
    return smaller(read_waited(live->slot->host_proc, live->host_number, run->processes > 0), run->wall_ns);
}

static uint64_t own_cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* Whether a counter tells the CPU time of all processes. Of those that are reaped we know it only if their parents wait for
 * them, and a program decides that (SIGCHLD ignored). */
static bool is_counted(const struct live *live)
{
    return live->slot->cgroup_cpu >= 0 && live->request->fixed.processes > 0;
}

/* What the run has used: beside it only the stub does anything in the cgroup. */
static uint64_t counted_cpu(const struct live *live)
{
    const uint64_t all = read_cpu_ns(live->slot->cgroup_cpu) - live->cpu_began, own = own_cpu_ns() - live->cpu_own;
    return all > own ? all - own : 0;
}

/* Stops a run of several processes at its CPU limit, and once the kernel has killed one of them for our memory limit: the
 * others need not sleep on. We look again when it could be at its limit, and at least every WATCH_MAX_NS. */
static void watch_counters(struct live *live, uint64_t now)
{
    const struct run *run = &live->request->fixed;
    const uint64_t used = counted_cpu(live), cores = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    struct oom_events events;
    const bool killed = read_oom_events(live->slot->cgroup_events, &events) && events.kills != live->oom_before.kills;
    if (killed || used >= run->cpu_ns) {
        stop(live, killed ? REASON_OOM : REASON_CPU);
        live->counters_at_ns = NEVER;
        return;
    }
    const uint64_t pause = smaller((run->cpu_ns - used) / smaller(cores, run->threads + run->processes), WATCH_MAX_NS);
    live->counters_at_ns = now + (pause > WATCH_MIN_NS ? pause : WATCH_MIN_NS);
}

/* Reaps what ended, except the program itself; true when that has. */
static bool reap(struct live *live)
{
    for (;;) {
        siginfo_t ended = {0};
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid == 0)
            return false;
        if (ended.si_pid == live->program) {
            live->result.ended_ns = now_ns();
            live->result.wall_ns = live->result.ended_ns - live->began_ns;
            if (live->result.wall_ns >= LONG_NS && live->result.waited_ns == 0)
                live->result.waited_ns = waited(live);
            return true;
        }
        reap_one(live, ended.si_pid, NULL, 0);
    }
}

static bool handle_signals(struct live *live)
{
    struct signalfd_siginfo info;
    bool ended = false;
    while (read(live->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            ended |= reap(live);
        else if (info.ssi_code == SI_TIMER)
            stop(live, REASON_CPU);
    }
    return ended;
}

static void remember(struct result *result, int call)
{
    for (uint32_t i = 0; i < result->suspicious_count; i++)
        if (result->suspicious[i] == call)
            return;
    if (result->suspicious_count < SUSPICIOUS_MAX)
        result->suspicious[result->suspicious_count++] = call;
}

/* A path can be vetted as long as nobody can change it between our look and the kernel's: until there is a thread that
 * shares the caller's memory. Tools make some, but are not hostile. */
static int count_file(struct live *live, const struct seccomp_notif *call, bool made)
{
    const struct run *run = &live->request->fixed;
    if (live->slot->layers & LAYER_VETTED) {
        if (live->threaded && !(run->flags & RUN_TOOL))
            return EACCES;
        int error = vet(live->slot, (pid_t)call->pid, call->data.nr, call->data.args);
        if (error != 0)
            return error;
    }
    return !made || live->created++ < run->directory_inodes ? 0 : ENOSPC;
}

/* Whether a mapping is of a file; of a device (/dev/zero) it is memory, and so is what cannot be looked at. */
static bool is_of_file(struct live *live, int fd)
{
    char path[48];
    struct stat status;
    snprintf(path, sizeof path, "%d/fd/%d", find_number(live), fd);
    return fstatat(live->slot->host_proc, path, &status, 0) == 0 && S_ISREG(status.st_mode);
}

/* A shared mapping. Memory that is shared is held as long as any of it is mapped, and need not be in any page table: all
 * that was made counts, seen or not. */
static int count_shared(struct live *live, const unsigned long long *arguments)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t bytes = arguments[1] > UINT64_MAX - page ? UINT64_MAX : (arguments[1] + page - 1) / page * page;
    const bool file = !(arguments[3] & MAP_ANONYMOUS) && is_of_file(live, (int)arguments[4]);
    if (bytes > (file ? live->mapped_left : live->request->fixed.memory_bytes - live->shared)) {
        stop(live, REASON_MEMORY);
        return ENOMEM;
    }
    if (file) {
        live->mapped_left -= bytes;
    } else {
        live->shared += bytes;
        live->watch_at_ns = 0;
    }
    return 0;
}

/* To whom a signal goes: a process or thread of the run's group, which nothing can leave, or that group. */
static bool is_own(const struct live *live, pid_t to)
{
    return to > 0 ? getpgid(to) == live->program : to == 0 || to == -live->program;
}

/* A call that the filter leaves to us: counted and let through, or refused and remembered by its number. What is let
 * through has its flags in registers: nobody can change them after the filter saw them. */
static void handle_notification(struct live *live)
{
    const struct run *run = &live->request->fixed;
    struct seccomp_notif call;
    memset(&call, 0, sizeof call);
    if (ioctl(live->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
        return;
    struct seccomp_notif_resp answer = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    int error = 0;
    switch (counted_as(live->slot, call.data.nr, call.data.args)) {
    case COUNT_NAME: error = count_file(live, &call, false); break;
    case COUNT_FILE: error = count_file(live, &call, true); break;
    case COUNT_SIGNAL: error = is_own(live, (pid_t)call.data.args[0]) ? 0 : EPERM; break;
    case COUNT_TASK:
        live->threaded = true;
        error = count_tasks(live->slot->host_proc, live->program, run->processes > 0) < run->threads + run->processes
                    ? 0
                    : EAGAIN;
        break;
    case COUNT_SHARED: error = count_shared(live, call.data.args); break;
    case COUNT_NONE:
        error = EPERM;
        remember(&live->result, call.data.nr);
        break;
    }
    if (error != 0) {
        answer.flags = 0;
        answer.error = -error;
    }
    ioctl(live->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    if (live->created > 0 && live->files_at_ns == NEVER)
        live->files_at_ns = 0;
}

/* STOP for this run ends it; the end of the driver ends everything. */
static void handle_driver(struct live *live)
{
    struct header header;
    ssize_t got = recv(live->slot->socket, &header, sizeof header, MSG_DONTWAIT | MSG_TRUNC);
    if (got == 0 || (got < 0 && errno != EAGAIN)) {
        kill_all(live); /* without a pid namespace only the program itself would die with us */
        _exit(STUB_ENDED);
    }
    if (message_kind((char *)&header, sizeof header) == MESSAGE_STOP &&
        header.sequence == live->request->fixed.header.sequence)
        stop(live, REASON_STOP);
}

/* At the wall limit: by how much it moves. The time that a program waited for a core says nothing of the program. At
 * most the limit once more: threads can wait for one another on purpose. */
static uint64_t left_out(struct live *live)
{
    const uint64_t before = live->result.waited_ns;
    live->result.waited_ns = waited(live);
    return live->result.waited_ns < before + WAITED_MIN_NS ? 0 : live->result.waited_ns - before;
}

static int follow(struct live *live)
{
    struct pollfd polled[] = {{live->signals, POLLIN, 0}, {live->slot->socket, POLLIN, 0}, {live->listener, POLLIN, 0}};
    uint64_t deadline = live->began_ns + live->request->fixed.wall_ns;
    for (;;) {
        uint64_t now = now_ns();
        if (now >= deadline) {
            const uint64_t more = left_out(live);
            if (more == 0)
                stop(live, REASON_WALL);
            deadline = more == 0 ? NEVER : deadline + more;
        }
        if (watch(live, now) < 0)
            return -1;
        if (now >= live->counters_at_ns)
            watch_counters(live, now);
        uint64_t next = smaller(smaller(deadline, live->counters_at_ns), smaller(live->watch_at_ns, live->files_at_ns));
        uint64_t left = next == NEVER ? 1000000000 : (next > now ? next - now : 0);
        const struct timespec pause = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
        if (ppoll(polled, 3, &pause, NULL) < 0 && errno != EINTR)
            return fail(STAGE_REAP, 1);
        if (polled[2].revents & POLLIN)
            handle_notification(live);
        else if (polled[2].revents)
            polled[2].fd = -1; /* nobody left who has the filter */
        if (polled[1].revents)
            handle_driver(live);
        if (polled[0].revents && handle_signals(live))
            return 0;
    }
}

/* The slot's cgroup for this run. Files are written only when their value changes. */
static int set_cgroup(struct live *live)
{
    struct slot *slot = live->slot;
    const struct run *run = &live->request->fixed;
    uint64_t tasks = run->threads + run->processes + SLOT_TASKS;
    if (slot->limit_now != run->cgroup_bytes)
        TRY(set_number(slot->cgroup_limit, run->cgroup_bytes), STAGE_CGROUP, 0);
    slot->limit_now = run->cgroup_bytes;
    if (slot->cgroup_pids >= 0 && slot->pids_now != tasks)
        TRY(set_number(slot->cgroup_pids, tasks), STAGE_CGROUP, 1);
    slot->pids_now = tasks;
    if (slot->cgroup_peak >= 0 && set_number(slot->cgroup_peak, 0) < 0)
        slot->cgroup_peak = -1; /* cannot be reset (v2 before Linux 6.12): would hold earlier runs */
    return read_oom_events(slot->cgroup_events, &live->oom_before) ? 0 : fail(STAGE_CGROUP, 15);
}

/* Was it the kernel that killed, for our limit? A kill for want of memory elsewhere is no fact about the program. */
static int conclude_cgroup(struct live *live)
{
    struct slot *slot = live->slot;
    struct oom_events events;
    live->result.peak_bytes = read_number(slot->cgroup_peak);
    if (!read_oom_events(slot->cgroup_events, &events))
        return fail(STAGE_CGROUP, 13);
    if (events.kills == live->oom_before.kills)
        return 0;
    live->result.reason = REASON_OOM;
    slot->limit_now = 0;
    TRY(set_number(slot->cgroup_limit, 1ull << 50), STAGE_CGROUP, 12); /* room for what follows */
    uint64_t nearly = live->request->fixed.cgroup_bytes / 20 * 19;
    errno = ENOMEM;
    return events.own > live->oom_before.own || live->result.peak_bytes >= nearly ? 0 : fail(STAGE_CGROUP, 14);
}

/* Kills and reaps to the last. One kill is all on Linux; gVisor does not hold back who forks meanwhile. */
static int end_all(struct live *live)
{
    const struct timespec pause = {0, 1000000};
    int status;
    kill_all(live);
    for (;;) {
        pid_t pid = reap_one(live, -1, &status, ON_GVISOR ? WNOHANG : 0);
        if (pid == live->program)
            live->result.status = status;
        if (pid < 0 && errno != EINTR)
            return errno == ECHILD ? 0 : fail(STAGE_REAP, 0);
        if (pid == 0) {
            kill_all(live);
            nanosleep(&pause, NULL);
        }
    }
}

/* After the program: kill and reap the rest, then the figures. */
static int conclude(struct live *live)
{
    struct result *result = &live->result;
    if ((live->slot->layers & LAYER_CGROUP) && conclude_cgroup(live) < 0)
        return -1;
    if (end_all(live) < 0)
        return -1;
    live->program = 0; /* its number may be another's from now on */
    if (ON_GVISOR)
        add_usage_of_all(live);
    if (is_counted(live))
        result->cpu_ns = counted_cpu(live);
    result->exec_errno = live->exec_errno;
    result->kept_bytes = files_kept(live);
    return 0;
}

/* The stub's own: gVisor gives the signals of whoever made it. The launcher blocked them. */
static int open_signals(struct live *live)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, CPU_SIGNAL);
    live->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    TRY(live->signals, STAGE_STUB, 16);
    return 0;
}

static int prepare(struct live *live)
{
    struct pollfd launcher = {live->slot->living, POLLIN, 0};
    TRY(prctl(PR_SET_PDEATHSIG, SIGKILL), STAGE_STUB, 0);
    if (poll(&launcher, 1, 0) > 0) /* it was killed before that: nobody would end us */
        _exit(STUB_ENDED);
    umask(022);
    TRY(prctl(PR_SET_CHILD_SUBREAPER, 1), STAGE_STUB, 2); /* without a pid namespace orphans come here too */
    if ((live->slot->layers & LAYER_PID) && !ON_GVISOR)
        live->numbers = openat(live->slot->host_proc, "sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
    return enter_phase(live->slot, PHASE_PREPARE) < 0 || open_signals(live) < 0 || prepare_proc(live->slot) < 0 ? -1
                                                                                                                : 0;
}

/* What the files that the run is given take. On a disk those of the working directory count, and the program's user looks
 * at them: to root without its powers that directory is closed, and would seem endless, and so would the bound. */
static int weigh_given(struct live *live)
{
    const struct slot *slot = live->slot;
    bool given = false;
    for (uint32_t i = 0; i < live->request->fixed.files; i++)
        given |= slot->tmpfs || live->request->files[i].flags & FILE_WORK;
    if (!given)
        return 0;
    if (!slot->tmpfs && enter_phase(slot, PHASE_RUN) < 0)
        return -1;
    live->box_began = box_used(slot);
    if (live->box_began >= UNSEEN_BYTES)
        return fail(STAGE_FILES, -1);
    return slot->tmpfs ? 0 : enter_phase(slot, PHASE_PREPARE);
}

static int run(struct live *live)
{
    struct slot *slot = live->slot;
    const struct run_request *request = live->request;
    for (uint32_t i = 0; i < request->fixed.files; i++)
        if (request->files[i].flags & FILE_PROGRAM)
            live->program_bytes = request->files[i].bytes;
    if ((slot->layers & LAYER_CGROUP) && set_cgroup(live) < 0)
        return -1;
    if (fill_box(slot, request, live->fds[4]) < 0 || weigh_given(live) < 0)
        return -1;
    if (ON_GVISOR && begin_on_sentry(live) < 0)
        return -1;
    if (is_counted(live)) {
        live->cpu_own = own_cpu_ns();
        live->cpu_began = read_cpu_ns(slot->cgroup_cpu);
        live->counters_at_ns = request->fixed.cpu_ns > 0 ? 0 : NEVER;
    }
    if (spawn(live) < 0 || start_cpu_timer(live) < 0 || enter_phase(slot, PHASE_RUN) < 0)
        return -1;
    begin_watch(live);
    if (follow(live) < 0 || conclude(live) < 0)
        return -1;
    return collect_files(slot, live->fds[5], live->result.collected);
}

/* After the result: the next run finds what this one found. Nobody of this one is left, so that nothing comes after. */
static int clean_up(struct live *live)
{
    struct signalfd_siginfo info;
    if (live->timed)
        TRY(timer_delete(live->timer), STAGE_TIMER, 2);
    while (read(live->signals, &info, sizeof info) > 0)
        ;
    if (live->listener >= 0)
        close(live->listener);
    if (live->input_bytes > 0)
        close(live->fds[0]);
    for (int i = 3; i < RUN_FDS; i++)
        if (live->fds[i] >= 0)
            close(live->fds[i]);
    return empty_box(live->slot);
}

/* Can the next run be served here: does the pid namespace, if it is ours, deal out the same numbers to each? gVisor tells
 * what was used by all runs together. */
static bool is_as_new(const struct live *live)
{
    if (!(live->slot->layers & LAYER_PID))
        return !ON_GVISOR;
    return live->numbers >= 0 && set_number(live->numbers, (uint64_t)getpid()) == 0;
}

_Noreturn void stub_main(struct slot *slot)
{
    struct live first = {.slot = slot,
                         .request = &slot->request,
                         .listener = -1,
                         .numbers = -1,
                         .watch_at_ns = NEVER,
                         .files_at_ns = NEVER,
                         .counters_at_ns = NEVER};
    if (prepare(&first) < 0)
        _exit(STUB_FAILED);
    do {
        struct live live = first;
        int done = open_box(slot) < 0 ? -1 : await_request(slot, live.fds);
        if (done == 0)
            _exit(STUB_ENDED);
        if (done < 0 || run(&live) < 0) {
            kill_all(&live);
            _exit(STUB_FAILED);
        }
        live.result.header = live.request->fixed.header;
        live.result.header.kind = MESSAGE_RESULT;
        send(slot->socket, &live.result, sizeof live.result, MSG_NOSIGNAL);
        if (clean_up(&live) < 0)
            _exit(STUB_FAILED);
    } while (is_as_new(&first));
    _exit(STUB_DONE);
}
