/* One program of many probes: `probe NAME [ARGUMENT]`. A probe prints what it found, or misbehaves as its name says. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1024 * 1024)
static long number; /* the argument, if it is one */
static const char *text;

static void say(const char *what, long result) { printf("%s %s\n", what, result < 0 ? strerrorname_np(errno) : "ok"); }

static void touch(char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = (char)(i >> 12) | 1;
}

static void *forever(void *unused) { for (;;) pause(); return unused; }
static void *burn(void *unused) { for (volatile long i = 0;; i++) ; return unused; }

static void spin(void) { burn(NULL); }
static void sleeper(void) { for (;;) sleep(1000); }
static void wakes(void) { usleep(600000); spin(); }
static void spins_beside_a_sleeper(void) { pthread_t thread; pthread_create(&thread, NULL, forever, NULL); spin(); }
static void deaf(void) /* ignores everything that can be ignored, and sleeps */
{
    for (int i = 1; i < 65; i++)
        signal(i, SIG_IGN);
    sleeper();
}
static void stop_self(void) { kill(getpid(), SIGSTOP); puts("went on"); }
#include "memory.h"

static void forks(void) { say("fork", fork()); }
static void fork_bomb(void) { for (;;) fork(); }
static void vforks(void) { pid_t pid = vfork(); if (pid == 0) _exit(0); say("vfork", pid); }
static void clones(void) { say("clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }
static void clone3s(void) { char args[88] = {0}; say("clone3", syscall(SYS_clone3, args, sizeof args)); }
static void threads(void) /* how many live at once */
{
    pthread_attr_t small;
    pthread_t thread;
    long made = 1;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    while (made < 5000 && pthread_create(&thread, &small, forever, NULL) == 0)
        made++;
    printf("%ld\n", made);
}
static void thread_bomb(void) { pthread_t thread; for (;;) pthread_create(&thread, NULL, burn, NULL); }
static void leader_gone(void) /* the first thread ends, another goes on */
{
    pthread_t thread;
    pthread_create(&thread, NULL, burn, NULL);
    pthread_exit(NULL);
}
static void flood(void) { static char block[65536]; memset(block, 'x', sizeof block); for (;;) write((int)number, block, sizeof block); }
static void trickle(void) { for (;; usleep(10000)) write(1, "a trickle\n", 10); }
static void packets(void) /* each write is read by itself, where the kernel has such pipes */
{
    fcntl(1, F_SETFL, O_DIRECT);
    for (int i = 0; i < number; i++)
        write(1, "packet\n", 7);
}
static void print_bytes(void) { for (long i = 0; i < number; i++) putchar('a' + i % 26); }
static void fill_directory(void)
{
    static char block[MIB];
    int fd = open("big", O_WRONLY | O_CREAT, 0600);
    long blocks = 0;
    signal(SIGXFSZ, SIG_IGN);
    memset(block, 'x', sizeof block);
    while (blocks < 4096 && write(fd, block, sizeof block) == sizeof block)
        blocks++;
    printf("%ld %s\n", blocks, strerrorname_np(errno));
}
static void many_files(void)
{
    char name[32];
    long made = 0;
    for (; made < 100000; made++) {
        snprintf(name, sizeof name, "f%ld", made);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0)
            break;
        close(fd);
    }
    printf("%ld %s\n", made, strerrorname_np(errno));
}
static void descriptors(void)
{
    long made = 0;
    while (made < 100000 && dup(0) >= 0)
        made++;
    printf("%ld %s\n", made, strerrorname_np(errno));
}
static void open_fds(void) { for (int fd = 0; fd < 1024; fd++) if (fcntl(fd, F_GETFD) >= 0) printf("%d ", fd); }
static void reads(void) { int fd = open(text, O_RDONLY); say("read", fd); }
static void writes(void) { int fd = open(text, O_WRONLY | O_CREAT, 0600); say("write", fd < 0 ? fd : write(fd, "x", 1)); }
static void echo(void) { char block[65536]; ssize_t got; while ((got = read(0, block, sizeof block)) > 0) write(1, block, (size_t)got); }
static void reopen_input(void) /* the input through other names */
{
    char block[64];
    int fd = open(text, O_RDONLY);
    ssize_t got = read(fd, block, sizeof block);
    printf("%.*s", got > 0 ? (int)got : 0, block);
}
#include "inputs.h"
static void call_by_number(void) { say("call", syscall(number, 0, 0, 0, 0, 0, 0)); }
static void suspicious(void)
{
    say("ptrace", ptrace(PTRACE_TRACEME, 0, 0, 0));
    say("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
    say("bpf", syscall(SYS_bpf, 0, NULL, 0));
    say("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
}
static void sockets(void)
{
    static const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_ALG, 40 /* vsock */};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        say("socket", socket(families[i], SOCK_STREAM, 0));
}
static void socketpairs(void)
{
    int ends[2];
    char byte = 0;
    say("stream", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    say("write", write(ends[0], "x", 1) == 1 && read(ends[1], &byte, 1) == 1 && byte == 'x' ? 0 : -1);
    say("send", send(ends[0], "x", 1, 0));
    say("sendmsg", sendmsg(ends[0], &(struct msghdr){0}, 0));
    say("setsockopt", setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &(int){1 << 24}, sizeof(int)));
    say("datagram", socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    say("inet", socketpair(AF_INET, SOCK_STREAM, 0, ends));
    say("tipc", socketpair(30, SOCK_STREAM, 0, ends));
}
static void own_calls(void) /* each refused, and the program goes on */
{
    say("setsid", setsid());
    say("setpgid", setpgid(0, 0));
    say("setuid", setuid(0));
    say("unshare", unshare(CLONE_NEWUSER));
    say("personality", syscall(SYS_personality, 0x0040000));
    say("prlimit", syscall(SYS_prlimit64, 1, RLIMIT_NOFILE, NULL, NULL));
    say("memfd", syscall(SYS_memfd_create, "x", 0));
    int segment = shmget(IPC_PRIVATE, 4096, 0600);
    say("shmget", segment);
    shmctl(segment, IPC_RMID, NULL);
    say("io_uring", syscall(SYS_io_uring_setup, 1, NULL));
    say("keyctl", syscall(SYS_keyctl, 0, 0, 0, 0, 0));
    say("chmod", chmod(".", 0777));
    say("pipe-size", fcntl(1, F_SETPIPE_SZ, 1 << 20));
    say("openat2", syscall(SYS_openat2, -1, NULL, NULL, 0));
}
static void other_abi(void) /* the 32-bit entry: 20 is getpid there, and writev here */
{
#ifdef __x86_64__
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");
    printf("int80 %ld\n", result);
    printf("x32 %ld\n", syscall(0x40000000 + SYS_getpid));
#endif
}
static void kill_others(void) { say("kill-stub", kill(1, SIGKILL)); say("kill-all", kill(-1, SIGCONT)); puts("alive"); }
static void signal_self(void) { raise((int)number); }
static void leave(void) { exit((int)number); }
static void close_all(void) { for (int fd = 0; fd < 64; fd++) close(fd); sleep(0); _exit(0); }
static void run_shell(void) { printf("%d\n", system("true")); }
static void execs(void) { execl("/bin/echo", "echo", "from echo", NULL); say("exec", -1); }
static void cpu_clock(void) /* burn this many milliseconds of CPU, then end */
{
    struct timespec now;
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < number);
    puts("done");
}
static void leave_files(void) /* awkward modes and names, deep directories */
{
    mkdir("a", 0700);
    chdir("a");
    for (int i = 0; i < 200 && mkdir("deep", 0) == 0; i++)
        break;
    int fd = open("\n\x01weird name", O_WRONLY | O_CREAT, 0);
    write(fd, "x", 1);
    symlink("/", "root");
    puts("done");
}
static void calls(void) /* lines "number argument" on stdin: the call with that for each argument, and what came of it */
{
    long call, argument;
    while (scanf("%ld %ld", &call, &argument) == 2) {
        errno = 0;
        long result = syscall(call, argument, argument, argument, argument, argument, argument);
        printf("%ld %s\n", call, result == -1 && errno != 0 ? strerrorname_np(errno) : "ok");
        fflush(stdout);
    }
}
static void powers(void) /* what an executed program holds: "name value" */
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2] = {{0}};
    uid_t uids[3];
    gid_t gids[3], groups[64];
    sigset_t blocked;
    int bounding = 0, death = 0;
    syscall(SYS_capget, &header, sets);
    getresuid(&uids[0], &uids[1], &uids[2]);
    getresgid(&gids[0], &gids[1], &gids[2]);
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    prctl(PR_GET_PDEATHSIG, &death);
    for (int i = 0; i < 64; i++)
        bounding += prctl(PR_CAPBSET_READ, i) == 1;
    printf("capabilities %d\n", sets[0].effective | sets[0].permitted | sets[0].inheritable | sets[1].effective |
                                    sets[1].permitted | sets[1].inheritable);
    printf("bounding %d\nno_new_privs %d\ndeath_signal %d\n", bounding, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), death);
    printf("uid %d\ngid %d\none_uid %d\none_gid %d\n", uids[0], gids[0], uids[0] == uids[1] && uids[1] == uids[2],
           gids[0] == gids[1] && gids[1] == gids[2]);
    printf("groups %d\nleader %d\nblocked %d\n", getgroups(64, groups), getsid(0) == getpid() && getpgid(0) == getpid(),
           !sigisemptyset(&blocked));
    printf("umask %o\n", umask(0));
}
static void resource_limits(void) /* "number soft hard" */
{
    for (int i = 0; i < 16; i++) {
        struct rlimit limit;
        getrlimit(i, &limit);
        printf("%d %ld %ld\n", i, (long)limit.rlim_cur, (long)limit.rlim_max);
    }
}
static void modes(void) /* of the directories of the run, and of a file that is made */
{
    struct stat at;
    static const char *const names[] = {".", "..", "../in", "made"};
    creat("made", 0666);
    for (int i = 0; i < 4; i++)
        printf("%s %o\n", names[i], stat(names[i], &at) < 0 ? 0 : at.st_mode & 07777);
}
static void *say_number(void *unused) { printf("thread %ld\n", syscall(SYS_gettid)); return unused; }
static void numbers(void) /* that would tell how many processes, threads and files there were before */
{
    struct stat at;
    pthread_t thread;
    pthread_create(&thread, NULL, say_number, NULL);
    pthread_join(thread, NULL);
    printf("process %d\nfile %lu\n", getpid(), fstat(creat("made", 0600), &at) < 0 ? 0 : at.st_ino);
}
static void leave_group(void) /* a child that would not be killed with its group */
{
    if (fork() == 0) {
        say("setsid", setsid());
        say("setpgid", setpgid(0, 0));
        exit(0);
    }
    wait(NULL);
}
static void children_with_memory(void) /* this many children of 64 MiB each */
{
    for (long i = 0; i < number; i++)
        if (fork() == 0) {
            touch(malloc(64 * MIB), 64 * MIB);
            puts("held");
            fflush(stdout);
            pause();
        }
    pause(); /* whatever becomes of them */
}
static void links(void) /* what each of these names leads to */
{
    char names[1024], to[256];
    snprintf(names, sizeof names, "%s", text);
    for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
        ssize_t length = readlink(name, to, sizeof to);
        printf("%.*s\n", length > 0 ? (int)length : 0, to);
    }
}
static void reads_all(void)
{
    char block[4096];
    ssize_t got;
    int fd = open(text, O_RDONLY);
    while ((got = read(fd, block, sizeof block)) > 0)
        write(1, block, (size_t)got);
}
static void fill_with_files(void) /* this many of a MiB each */
{
    static char block[MIB];
    char name[32];
    long made = 0;
    memset(block, 'x', sizeof block);
    for (; made < number; made++) {
        snprintf(name, sizeof name, "f%ld", made);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || write(fd, block, sizeof block) != sizeof block)
            break;
        close(fd);
    }
    printf("%ld\n", made);
    fflush(stdout);
    sleep(2); /* where nothing but a look from time to time bounds them */
}
static void many_directories(void)
{
    char name[32];
    long made = 0;
    for (; made < 100000; made++) {
        snprintf(name, sizeof name, "d%ld", made);
        if (mkdir(name, 0700) < 0)
            break;
    }
    printf("%ld %s\n", made, strerrorname_np(errno));
}
static void ways_to_make_files(void) /* after as many as there may be */
{
    for (char name[] = "a"; name[0] <= 'z'; name[0]++)
        creat(name, 0600);
    say("openat", openat(AT_FDCWD, "_", O_WRONLY | O_CREAT, 0600));
    say("temporary", open(".", O_WRONLY | O_TMPFILE, 0600));
    say("mkdirat", mkdirat(AT_FDCWD, "_", 0700));
    say("linkat", linkat(AT_FDCWD, "a", AT_FDCWD, "_", 0));
    say("symlinkat", symlinkat("a", AT_FDCWD, "_"));
#ifdef SYS_open
    say("old-open", syscall(SYS_open, "_", O_WRONLY | O_CREAT, 0600));
    say("creat", syscall(SYS_creat, "_", 0600));
    say("mkdir", syscall(SYS_mkdir, "_", 0700));
    say("link", syscall(SYS_link, "a", "_"));
    say("symlink", syscall(SYS_symlink, "a", "_"));
#endif
}
static void socket_pairs(void)
{
    int pair[2];
    say("stream", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    say("datagram", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    say("sequence", socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    say("tipc", socketpair(AF_TIPC, SOCK_STREAM, 0, pair));
    say("inet", socketpair(AF_INET, SOCK_STREAM, 0, pair));
}
static void parents_clock(void)
{
    struct timespec time;
    say("clock", syscall(SYS_clock_gettime, (~(clockid_t)getppid() << 3) | 2, &time));
}
static void truncates(void)
{
    struct stat at;
    int fd = open("kept", O_WRONLY | O_CREAT, 0600);
    write(fd, "kept", 4);
    say("truncating-read", open("kept", O_RDONLY | O_TRUNC));
    stat("kept", &at);
    printf("size %ld\n", (long)at.st_size);
}
static void say_core(const char *when)
{
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    printf("%s %ld-%ld\n", when, (long)limit.rlim_cur, (long)limit.rlim_max);
}
static void core_limit(void) /* another one is answered as if it were set */
{
    struct rlimit limit;
    say_core("before");
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = limit.rlim_max = limit.rlim_max > 0 ? limit.rlim_max - 1 : 0;
    syscall(SYS_setrlimit, RLIMIT_CORE, &limit);
    say_core("setrlimit");
    syscall(SYS_prlimit64, 0, RLIMIT_CORE, &limit, NULL);
    say_core("prlimit");
}
static void host_name(void) { char name[64]; gethostname(name, sizeof name); puts(name); }

#include "apart.h"
#include "bounds.h"
#include "files.h"
#include "others.h"

static const struct { const char *name; void (*run)(void); } probes[] = {
#define P(name) {#name, name}
    P(spin), P(sleeper), P(wakes), P(spins_beside_a_sleeper), P(deaf), P(stop_self), P(allocate), P(allocate_forever), P(map_shared), P(reserve),
    P(near_limit_crash), P(recursion), P(forks), P(fork_bomb), P(vforks), P(clones), P(clone3s), P(threads),
    P(thread_bomb), P(leader_gone), P(flood), P(trickle), P(packets), P(print_bytes), P(fill_directory), P(many_files),
    P(descriptors),
    P(open_fds), P(reads), P(writes), P(echo), P(reopen_input), P(mark_input), P(call_by_number), P(suspicious), P(sockets), P(socketpairs),
    P(own_calls), P(locks), P(shared_futexes), P(other_abi), P(kill_others), P(signal_self), P(leave), P(close_all), P(run_shell), P(execs),
    P(cpu_clock), P(leave_files), P(host_name), P(calls), P(powers), P(resource_limits), P(modes), P(numbers), P(leave_group),
    P(children_with_memory), P(links), P(reads_all), P(truncates), P(core_limit),
    P(fill_with_files), P(many_directories), P(ways_to_make_files), P(socket_pairs),
    P(unmap_shared), P(page_tables), P(files_without_names), P(allocates), P(own_views), P(parents_clock),
    P(files_in_tables), P(moves_pages), P(renames), P(reopens), P(executes), P(of_others), P(signals_out),
    P(map_input), P(read_input), P(look_into_input), P(drop_shared), P(huge_pages), P(keep_file), P(names_of_nothing),
    P(named_as_status), P(named_as_sum), P(named_as_shown),
    P(write_output), P(sparse_outputs), P(closed_output), P(read_inputs),
};

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    text = argc > 2 ? argv[2] : "";
    number = atol(text);
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
        if (strcmp(probes[i].name, argv[1]) == 0) {
            probes[i].run();
            return 0;
        }
    fprintf(stderr, "no probe %s\n", argv[1]);
    return 2;
}
