/* The native launcher: runs programs that nobody trusts, one at a time, many in a row.
 *
 * How it works
 * ------------
 *   driver (Python, trusted) ═ socket ═ launcher ── clone ── stub (pid 1) ── clone ── program (untrusted)
 *
 * 1. The driver starts one launcher per slot, with an empty environment and one descriptor: a SOCK_SEQPACKET socket
 *    (or, where none can be inherited, the path of one to connect to). wire.h is the whole protocol. request.c takes
 *    messages apart and trusts none of them.
 * 2. SETUP: the launcher makes itself undumpable (nothing of it can be read through /proc or ptrace, and a fork inherits
 *    that), enters its namespaces and a minimal read-only root (view.c), drops the capability bounding set and sets
 *    no_new_privs. It says what stands, and the driver makes the Landlock rules and the seccomp programs that go with that
 *    (walls.c, filter.c). Of its own capabilities and system calls it keeps what it needs from there on (powers.c). It is
 *    in the slot's cgroup already: the driver put it there, so whatever it starts is bounded from its first instruction.
 * 3. A stub is cloned into new pid, mount and IPC namespaces, mounts /proc and a fresh tmpfs, and waits for a request. It
 *    shares the memory of the launcher, which only waits meanwhile.
 *    RUN: the stub clones the program with shared memory (a spawn, not a fork: nothing is copied, and the program's peak
 *    memory does not begin with ours). The child raises the walls around itself and executes the program (spawn.c, walls.c).
 *    Where this is the launcher of an interpreter that is held, the child is a fork, and goes on in it (interpreter.c).
 * 4. The stub follows the program: SIGCHLD, a timer on its CPU clock, the wall clock, refused calls through a seccomp
 *    listener, its memory where no cgroup bounds it (watch.c), and STOP from the driver, which counts the output.
 *    One kill(-1) ends everything in the pid namespace.
 * 5. Everything is reaped to ECHILD before RESULT is sent: nothing of a run outlives it. Then its tmpfs is taken down, the
 *    next one is mounted, and numbers of processes begin anew: what else there is in the namespaces no run can change,
 *    and the next one is served there (where the numbers cannot be set, in new ones). If the driver goes away, the
 *    socket ends and stub and launcher end; if the launcher is killed, its stub dies with it, and so does the program.
 *
 * Where no namespaces are granted (an ordinary container) the same steps are taken with other walls: Landlock decides
 * what can be opened, a private directory takes the place of the tmpfs (box.c), the listener counts files and, for want
 * of a user of its own, tasks; the program leads a process group that it cannot leave, and dies with the stub.
 *
 * So it is too where somebody else has raised namespaces and a view around the launcher (nsjail, a container), except
 * that the directory is a tmpfs that they mounted, and may be in a cgroup.
 *
 * What a program can reach of all this: nothing. It has descriptors 0, 1 and 2; every other one is close-on-exec. The
 * stub's memory is undumpable and hidden in /proc. Results travel on a socket that it never had.
 *
 * A step that fails is reported as {stage, index, errno}; nothing is worded, and nothing allocated, on this side. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filter.h"
#include "gvisor.h"
#include "launcher.h"
#include "messages.h"
#include "powers.h"
#include "stub.h"
#include "view.h"
#include "walls.h"

#define RARELY_USED 32          /* the number of a descriptor */
#define STUB_STACK (512 * 1024) /* directories are looked into by recursion */

int prepare_process(struct slot *slot)
{
    sigset_t signals;
    TRY(prctl(PR_SET_DUMPABLE, 0), STAGE_STUB, 10);
    setsid(); /* a Ctrl-C at the driver's terminal is the driver's to handle */
    int null = open("/dev/null", O_RDWR);
    TRY(null, STAGE_STUB, 11);
    for (int i = 0; i < 3; i++)
        TRY(dup2(null, i), STAGE_STUB, 12);
    TRY(dup2(slot->socket, 3), STAGE_STUB, 13);
    slot->socket = 3;
    TRY(fcntl(3, F_SETFD, FD_CLOEXEC), STAGE_STUB, 14);
    for (int fd = 4; fd < 1024; fd++)
        close(fd);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGRTMIN);
    TRY(sigprocmask(SIG_SETMASK, &signals, NULL), STAGE_STUB, 15);
    slot->null = fcntl(0, F_DUPFD_CLOEXEC, 4);
    TRY(slot->null, STAGE_STUB, 17);
    slot->host_proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return slot->host_proc < 0 ? fail(STAGE_PROC, 0) : 0;
}

/* Without a mount namespace: the private directory that was made for this slot. Is it a tmpfs of its own? */
static int find_home(struct slot *slot, const struct setup_request *request)
{
    struct stat box, above;
    struct statfs system;
    char parent[PATH_MAX];
    const char *home = NULL;
    errno = EPROTO;
    for (uint32_t i = 0; i < request->fixed.views; i++)
        if (request->views[i].kind == VIEW_HOME)
            home = request->views[i].source;
    if (home == NULL || strlen(home) >= sizeof slot->box - sizeof "/..")
        return fail(STAGE_PROTOCOL, 3);
    snprintf(slot->box, sizeof slot->box, "%s", home);
    snprintf(parent, sizeof parent, "%s/..", home);
    if (stat(home, &box) < 0 || stat(parent, &above) < 0 || statfs(home, &system) < 0)
        return fail(STAGE_PROTOCOL, 4);
    slot->tmpfs = system.f_type == TMPFS_MAGIC && box.st_dev != above.st_dev;
    return 0;
}

/* Above what runs need: the program's few descriptors are dealt out in the table that it shares with the stub. */
static int set_aside(int fd)
{
    const int aside = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, RARELY_USED);
    if (aside >= 0)
        close(fd);
    return aside < 0 ? fd : aside;
}

int set_up(struct slot *slot)
{
    static struct setup_request request;
    static char buffer[MESSAGE_MAX]; /* the request points into it, as long as the slot lives */
    int arrived[RUN_FDS], fds[SETUP_FDS], count;
    ssize_t length = receive(slot->socket, buffer, arrived, &count);
    errno = EPROTO;
    if (length <= 0 || message_kind(buffer, (size_t)length) != MESSAGE_SETUP ||
        !parse_setup(buffer, (size_t)length, &request) || !place(request.fixed.fds, SETUP_FDS, arrived, count, fds))
        return fail(STAGE_PROTOCOL, 0);
    slot->setup = &request;
    slot->launcher = getpid();
    slot->living = (int)syscall(SYS_pidfd_open, slot->launcher, 0);
    slot->uid = request.fixed.uid;
    slot->gid = request.fixed.gid;
    slot->layers = request.fixed.layers & (LAYER_UID | LAYER_CGROUP);
    slot->cgroup_limit = fds[0];
    slot->cgroup_events = fds[1];
    slot->cgroup_peak = fds[2];
    slot->cgroup_pids = fds[3];
    if (request.fixed.layers & LAYER_MOUNT) {
        if (build_view(slot, &request) < 0)
            return -1;
        slot->layers |= LAYER_PID; /* probed by mounting /proc there */
        slot->tmpfs = true;
        snprintf(slot->box, sizeof slot->box, BOX_PARENT BOX_NAME);
    } else if (find_home(slot, &request) < 0) {
        return -1;
    }
    slot->cgroup_cpu = set_aside(ON_GVISOR ? open_cpu_on_sentry() : fds[4]);
    if (slot->cgroup_cpu >= 0)
        slot->layers |= LAYER_CPU;
    return prepare_walls(slot, &request) < 0 || receive_walls(slot) < 0 ? -1 : prepare_landlock(slot);
}

int announce(const struct slot *slot)
{
    if (limit_calls(slot) < 0)
        return -1;
    const struct ready ready = {.header = {WIRE_MAGIC, WIRE_VERSION, MESSAGE_READY, slot->setup->fixed.header.sequence},
                                .layers = slot->layers};
    return send(slot->socket, &ready, sizeof ready, MSG_NOSIGNAL) == sizeof ready ? 0 : fail(STAGE_PROTOCOL, 1);
}

static int begin_stub(void *slot) { stub_main(slot); }

/* Starts a stub, and waits for its end, and that of all that was its. */
static enum stub_status run_stub(struct slot *slot)
{
    static char stack[STUB_STACK] __attribute__((aligned(16)));
    const int namespaces = slot->layers & LAYER_MOUNT ? CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC : 0;
    const pid_t stub = clone(begin_stub, stack + sizeof stack, namespaces | CLONE_VM | SIGCHLD, slot);
    int status = 0;
    if (stub < 0 || waitpid(stub, &status, 0) < 0) {
        fail(STAGE_CLONE, 0);
        return STUB_FAILED;
    }
    if (WIFEXITED(status))
        return (enum stub_status)WEXITSTATUS(status);
    errno = WTERMSIG(status); /* killed, and perhaps before it had sent its result */
    fail(STAGE_STUB, 1);
    return STUB_FAILED;
}

/* Ends with the driver, or with the first failure of ours: what that left is not known, and the driver takes a new
 * launcher. The failure is reported at once: a stub that was killed may have had a request of which only it knew. */
int serve(struct slot *slot)
{
    enum stub_status status = STUB_DONE;
    while (status == STUB_DONE)
        status = run_stub(slot);
    if (status == STUB_ENDED)
        return 0;
    send_failure(slot->socket, slot->request.fixed.header.sequence);
    return 1;
}
