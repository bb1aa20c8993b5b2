/* How the program comes to be: its process is made, raises the walls around itself, and executes the program, or goes on
 * in the interpreter that is held. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run.h"
#include "view.h"
#include "walls.h"

#define OFFERS 50

static const char *program_path(const struct live *live)
{
    return live->program_bytes ? "../" PROGRAM : live->request->argv[0];
}

/* In the child, which shares the stub's memory and descriptor table until exec. Every descriptor but 0, 1 and 2 and those
 * from PIPES on is close-on-exec. */
static int program_main(void *argument)
{
    struct live *live = argument;
    const struct run_request *request = live->request;
    live->offered = live->slot->layers & LAYER_CGROUP ? offer_to_oom_killer(live->slot, "self") : 0;
    if (live->offered < 0)
        _exit(127);
    if (enter_walls(live->slot, request, live->stub, &live->listener) < 0)
        _exit(127);
    live->entered = true;
    if (live->exec_errno != 0)
        _exit(127);
    if (live->slot->layers & LAYER_VETTED)
        syscall(SYS_execveat, live->executable, "", request->argv, request->envp, AT_EMPTY_PATH,
                live->slot->walls->fixed.secret);
    else if (request->fixed.fds & FD_EXECUTABLE)
        syscall(SYS_execveat, live->fds[3], "", request->argv, request->envp, AT_EMPTY_PATH);
    else
        syscall(SYS_execve, program_path(live), request->argv, request->envp);
    live->exec_errno = errno;
    _exit(127);
}

/* The program's number in the launcher's /proc; -1 where the kernel does not tell. */
int find_number(struct live *live)
{
    if (live->host_number == 0)
        live->host_number = live->slot->layers & LAYER_PID ? program_number(live->slot->host_proc) : live->program;
    return live->host_number;
}

/* What a program that is forked says once its walls stand, or cannot: it shares no memory with the stub. */
struct report {
    bool entered;
    int offered, listener;
    struct failure failure;
};

/* In the child that goes on in the interpreter: what exec would do is done by hand. It shares the stub's descriptor table
 * until its walls stand, so that the stub has the listener. Then the stub leaves that table to it: the walls let nobody
 * take another. */
static _Noreturn void go_on(struct live *live, int out)
{
    char left;
    const struct slot *slot = live->slot;
    struct report report = {.offered = slot->layers & LAYER_CGROUP ? offer_to_oom_killer(slot, "self") : 0};
    report.entered = report.offered >= 0 && enter_walls(live->slot, live->request, live->stub, &report.listener) == 0;
    syscall(SYS_set_tid_address, slot->cleared);
    if (report.entered && syscall(SYS_set_robust_list, slot->robust, slot->robust_bytes) < 0) {
        fail(STAGE_STREAMS, 6);
        report.entered = false;
    }
    report.failure = failure;
    if (write(out, &report, sizeof report) != sizeof report || !report.entered)
        _exit(127);
    if (read(out, &left, 1) != 1 || syscall(SYS_close_range, 3, ~0u, 0) < 0)
        _exit(127); /* the stub has ended, and we with it; there is such a call: it was tried */
    slot->go_on();
    _exit(127);
}

/* For want of memory, say, before it was executed. */
static bool was_killed(const struct live *live)
{
    siginfo_t ended = {0};
    return waitid(P_PID, (id_t)live->program, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == live->program && ended.si_code == CLD_KILLED;
}

/* Waits until the child is the program. It may be killed before that, for want of memory: that is then its end. */
static int await(struct live *live, int in)
{
    struct pollfd polled[] = {{in, POLLIN, 0}, {live->signals, POLLIN, 0}};
    struct report report;
    while (ppoll(polled, 2, NULL, NULL) < 0 && errno == EINTR)
        ;
    if (!(polled[0].revents & POLLIN)) {
        errno = EPROTO;
        return was_killed(live) ? 0 : fail(STAGE_STUB, 21);
    }
    TRY(read(in, &report, sizeof report), STAGE_STUB, 22);
    live->offered = report.offered;
    live->listener = report.listener;
    failure = report.failure;
    return report.entered ? 0 : -1;
}

/* By fork, with the interpreter's memory. */
static int spawn_held(struct live *live)
{
    const unsigned long flags = CLONE_FILES | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
    int ends[2];
    TRY(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), STAGE_STREAMS, 4);
#if defined(__x86_64__)
    live->program = (pid_t)syscall(SYS_clone, flags, NULL, NULL, live->slot->thread, NULL);
#else
    live->program = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, live->slot->thread);
#endif
    TRY(live->program, STAGE_CLONE, 2);
    if (live->program == 0)
        go_on(live, ends[1]);
    int done = await(live, ends[0]);
    TRY(syscall(SYS_close_range, ends[1], ends[1], CLOSE_RANGE_UNSHARE), STAGE_STREAMS, 8);
    if (done == 0)
        send(ends[0], "", 1, MSG_NOSIGNAL);
    close(ends[0]);
    return done;
}

/* Where the listener looks at what is executed: it cannot answer while we wait for exec. What cannot be executed is the
 * program's own failure. */
static void find_executable(struct live *live)
{
    const bool given = live->request->fixed.fds & FD_EXECUTABLE;
    const int fd =
        given ? live->fds[3] : open(program_path(live), (live->program_bytes ? O_RDONLY : O_PATH) | O_CLOEXEC);
    live->exec_errno = fd < 0 ? errno : given || live->program_bytes ? vet_executable(live->slot, fd) : 0;
    live->executable = fd;
}

static int spawn_executed(struct live *live)
{
    static char stack[64 * 1024] __attribute__((aligned(16)));
    const bool vetted = live->slot->layers & LAYER_VETTED;
    if (vetted)
        find_executable(live);
    live->program = clone(program_main, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, live);
    TRY(live->program, STAGE_CLONE, 1);
    if (vetted && live->executable >= 0 && !(live->request->fixed.fds & FD_EXECUTABLE))
        close(live->executable);
    return live->entered || was_killed(live) ? 0 : -1; /* `failure` was set by the child */
}

/* From outside, as its user. We wake when exec gives up the old memory, and only then does the kernel make the entry the
 * program's: refused for that moment; for good if not even its user may read the executable, or when it has ended. */
static int offer_program(const struct live *live)
{
    const struct timespec pause = {0, 100000};
    char number[16];
    int offered;
    snprintf(number, sizeof number, "%d", live->host_number);
    for (int tries = 0; (offered = offer_to_oom_killer(live->slot, number)) > 0 && tries < OFFERS; tries++) {
        siginfo_t ended = {0};
        if (waitid(P_PID, (id_t)live->program, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid != 0)
            break;
        nanosleep(&pause, NULL);
    }
    return offered < 0 ? -1 : 0;
}

int spawn(struct live *live)
{
    struct stat input;
    for (int i = 0; i < 3; i++)
        TRY(dup2(live->fds[i], i), STAGE_STREAMS, i);
    for (int i = PIPE_BIT; i < RUN_FDS; i++)
        if (live->fds[i] >= 0)
            TRY(dup2(live->fds[i], PIPES + i - PIPE_BIT), STAGE_STREAMS, i);
    TRY(fstat(0, &input), STAGE_STREAMS, 3);
    live->input_bytes = S_ISREG(input.st_mode) ? (uint64_t)input.st_size : 0;
    live->mapped_left = 2 * live->request->fixed.memory_bytes + live->input_bytes;
    live->began_ns = now_ns();
    live->stub = getpid();
    int done = live->slot->go_on != NULL ? spawn_held(live) : spawn_executed(live);
    for (int i = 0; i < 3; i++) {
        dup2(live->slot->null, i); /* the readers see the end of the program's streams */
        if (i > 0 || live->input_bytes == 0)
            close(live->fds[i]);
    }
    for (int i = PIPE_BIT; i < RUN_FDS; i++)
        if (live->fds[i] >= 0) {
            close(live->fds[i]);
            close(PIPES + i - PIPE_BIT);
            live->fds[i] = -1;
        }
    if (done < 0)
        return -1;
    return live->offered > 0 && live->exec_errno == 0 && find_number(live) > 0 ? offer_program(live) : 0;
}

/* Everything of the run at once. In a pid namespace all others are the run's. Without one the program leads a process
 * group that nothing can leave (setsid and setpgid are refused), and it is not reaped before this: its number is its. */
void kill_all(const struct live *live)
{
    if (live->slot->layers & LAYER_PID)
        kill(-1, SIGKILL);
    else if (live->program > 1)
        kill(-live->program, SIGKILL);
}

void stop(struct live *live, enum reason reason)
{
    if (live->result.reason == REASON_NONE)
        live->result.reason = reason;
    kill_all(live);
}
