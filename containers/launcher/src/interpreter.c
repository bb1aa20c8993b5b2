/* The launcher inside an interpreter: a library that the dynamic linker loads into it before it begins (LD_PRELOAD).
 *
 *   exec ─► begin(): the slot's walls, as every launcher raises them ─► the interpreter starts up, inside the view
 *        ─► its first look at a file of the run ("../in/…"): hold() ─► serves requests, as every launcher does
 *                                                     └─ a run: stub ── fork ── the walls, then back from hold()
 *
 * What goes on there is an interpreter that was executed with the run's own arguments, environment, working directory's
 * name and stack limit, and has yet to look at its program: whatever it does from here on it does as if it had been
 * executed for this run alone. Nothing is rebuilt, so nothing can be forgotten, and nothing here knows which interpreter
 * it is (what is good to know of one is in cpython.c); a compiler can be one. One that starts otherwise (a second thread,
 * output, no such look), or whose path is another in the view, is not held, and the driver executes it for every run.
 *
 * The process holds nothing of the driver's: it was executed, with the environment that programs get. What the launcher
 * has in memory (requests, the view) is taken away before the program goes on: forget(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box.h"
#include "interpreter.h"
#include "launcher.h"
#include "messages.h"
#include "powers.h"

#define RUN_FILES "../in/"
#define STACK_USED (64 * 1024) /* by the launcher's functions below hold() */
#define PAGE 4096
#define REHEARSAL_S 10

/* The library's zeroed memory, as the static linker names it. */
extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

static KEPT bool waiting = false;    /* for the first look */
static KEPT bool rehearsing = false; /* this process shows which memory runs use */
static struct slot slot;
static jmp_buf door;
static char run_files[PATH_MAX]; /* RUN_FILES as an absolute path: PyPy makes its program's path one */
static int descriptors;          /* open ones of the launcher alone */
static int startup_output;       /* pipe with what the interpreter wrote while it started */

/* Fresh pages read as zeros, and cost nothing until they are used. */
static void wipe(char *start, char *end)
{
    char *first = (char *)(((uintptr_t)start + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    char *last = (char *)((uintptr_t)end & ~(uintptr_t)(PAGE - 1));
    if (first >= last || madvise(first, (size_t)(last - first), MADV_DONTNEED) < 0)
        first = last = end;
    explicit_bzero(start, (size_t)(first - start));
    explicit_bzero(last, (size_t)(end - last));
}

static __attribute__((noinline)) void wipe_stack(void)
{
    char below[STACK_USED];
    wipe(below, below + sizeof below);
}

/* Requests, paths and descriptors' numbers: zeros, as before they came. */
static void forget(void)
{
    wipe_stack();
    wipe(__bss_start, _end);
}

/* In the process of a run, when its walls stand. */
static _Noreturn void go_on(void) { longjmp(door, 1); }

/* The streams that it finds are of the kinds that runs have: it asks once, when it starts. */
static int open_streams(void)
{
    int ends[2], input = (int)syscall(SYS_memfd_create, "input", 0);
    TRY(input, STAGE_INTERPRETER, 0);
    TRY(pipe(ends), STAGE_INTERPRETER, 1);
    for (int i = 0; i < 3; i++)
        TRY(dup2(i == 0 ? input : ends[1], i), STAGE_INTERPRETER, 2);
    startup_output = ends[0];
    close(input);
    close(ends[1]);
    return 0;
}

/* A working directory of the name that runs have theirs under: it asks for that, too. */
static int open_directory(void)
{
    static struct run_request nothing = {.fixed = {.directory_bytes = PAGE}};
    if (enter_phase(&slot, PHASE_PREPARE) < 0 || open_box(&slot) < 0 || fill_box(&slot, &nothing, -1) < 0)
        return -1;
    char *name = getcwd(run_files, sizeof run_files - sizeof RUN_FILES) == NULL ? NULL : strrchr(run_files, '/');
    if (name == NULL)
        return fail(STAGE_INTERPRETER, 15);
    strcpy(name, RUN_FILES + 2);
    return 0;
}

/* Memory that runs write to: a fault for each shared page costs far more than to copy it all at once. (In place: room
 * for both, or for a huge page, would be in the peak of every run.) It is what the interpreter has written itself (runs
 * count references, and clear up in the end); or, where an empty program could be run to its end, what that wrote. */
#define RANGES_MAX 256
#define GAP_PAGES 2    /* pages that were not written, and are copied with their neighbours */
#define LEAST_PAGES 16 /* smaller ranges are left to faults */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
static KEPT struct range {
    char *start;
    size_t bytes;
} ranges[RANGES_MAX] = {{0}};
static KEPT size_t range_count = 0;

static void add_range(char *start, char *end)
{
    if (range_count == RANGES_MAX || end - start < LEAST_PAGES * PAGE)
        return;
    ranges[range_count++] = (struct range){start, (size_t)(end - start)};
    for (volatile const char *page = start; page < end; page += PAGE)
        (void)*page; /* a gap is a fault in each run, else */
}

/* Code and constants: a fork inherits the pages of a file only where one of the mapping was written; else it has a fault
 * for each that it needs. Where that is refused, so it is. */
static int let_inherit(char *first, size_t bytes, int access)
{
    volatile char *byte = first;
    if (mprotect(first, bytes, access | PROT_WRITE) < 0)
        return 0;
    *byte = *byte; /* the page is ours now */
    return mprotect(first, bytes, access);
}

/* Of a page, as told by the kernel: Documentation/admin-guide/mm/pagemap.rst. */
static bool is_present(uint64_t entry) { return entry >> 63; }
static bool is_written(uint64_t entry) { return is_present(entry) && !(entry >> 61 & 1) && (entry >> 56 & 1); }

/* `pages`: descriptor of the page map of who used this memory. */
static void find_used(int pages, char *first, const char *last, bool copied)
{
    static uint64_t entries[512];
    size_t known = 0, next = 0;
    char *start = NULL, *end = NULL;
    for (char *page = first; page < last; page += PAGE) {
        if (next == known) {
            const off_t at = (off_t)((uintptr_t)page / PAGE * sizeof *entries);
            const ssize_t got = pread(pages, entries, sizeof entries, at);
            if (got < (ssize_t)sizeof *entries)
                break;
            known = (size_t)got / sizeof *entries, next = 0;
        }
        const uint64_t entry = entries[next++];
        if (is_present(entry))
            (void)*(volatile const char *)page; /* a fork inherits what is present */
        if (!copied || !is_written(entry))
            continue;
        if (start != NULL && page - end > GAP_PAGES * PAGE) {
            add_range(start, end);
            start = NULL;
        }
        start = start == NULL ? page : start;
        end = page + PAGE;
    }
    if (start != NULL)
        add_range(start, end);
}

/* One mapping, "start-end rw-p offset device inode …" in maps; neither the stack nor what is ours: they are in use
 * meanwhile. */
static int add_mapping(const char *line, int pages)
{
    unsigned long first, last, inode;
    char access[5], here;
    if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &first, &last, access, &inode) != 4)
        return 0;
    char *start = (char *)first, *end = (char *)last;
    const bool code = strcmp(access, "r-xp") == 0;
    if (inode != 0 && (code || strcmp(access, "r--p") == 0)) {
        find_used(pages, start, end, false);
        return let_inherit(start, (size_t)(end - start), code ? PROT_READ | PROT_EXEC : PROT_READ);
    }
    const bool ours = __bss_start < end && _end > start, stack = &here >= start && &here < end;
    if (strcmp(access, "rw-p") == 0 && !ours && !stack)
        find_used(pages, start, end, true);
    return 0;
}

/* `pages` -1: nothing is copied at once. */
static int find_ranges(int pages)
{
    static char text[32 * 1024];
    size_t kept = 0;
    ssize_t got;
    int fd = openat(slot.host_proc, "self/maps", O_RDONLY | O_CLOEXEC);
    TRY(fd, STAGE_INTERPRETER, 12);
    while ((got = read(fd, text + kept, sizeof text - kept - 1)) > 0) {
        char *line = text, *end;
        text[kept + (size_t)got] = '\0';
        for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
            TRY(add_mapping(line, pages), STAGE_INTERPRETER, 13);
        kept = strlen(line);
        memmove(text, line, kept);
    }
    close(fd);
    return 0;
}

/* Where the kernel cannot (before Linux 5.14), pages come one by one, by faults. */
static void copy_ranges(void)
{
    for (size_t i = 0; i < range_count; i++)
        madvise(ranges[i].start, ranges[i].bytes, MADV_POPULATE_WRITE);
}

static int refuse(int index, int error)
{
    errno = error;
    return fail(STAGE_INTERPRETER, index);
}

static int count_entries(const char *directory)
{
    struct listing listing = {.fd = openat(slot.host_proc, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    int count = 0;
    if (listing.fd < 0)
        return 0;
    while (next_entry(&listing) != NULL)
        count++;
    close(listing.fd);
    return count;
}

/* It was executed outside the namespaces of runs, and its path is told from the root of those that it was in. Where the
 * judge is inside a chroot, which pivot_root cannot leave, that is not a path of the view but says where the chroot lies. */
static bool is_at_its_path(void)
{
    char path[PATH_MAX];
    struct stat named, executed;
    const ssize_t length = readlinkat(slot.host_proc, "self/exe", path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    return fstatat(AT_FDCWD, path, &named, 0) == 0 && fstatat(slot.host_proc, "self/exe", &executed, 0) == 0 &&
           named.st_dev == executed.st_dev && named.st_ino == executed.st_ino;
}

/* Can it be forked without a difference? */
static int check(void)
{
    int written = 0;
    TRY(ioctl(startup_output, FIONREAD, &written), STAGE_INTERPRETER, 3);
    if (written != 0)
        return refuse(4, EPROTO);
    if (count_entries("self/task") != 1)
        return refuse(5, EBUSY);
    if (count_entries("self/fd") != descriptors) /* a run has the streams alone: it would miss them */
        return refuse(16, EMFILE);
    TRY(prctl(PR_GET_TID_ADDRESS, &slot.cleared), STAGE_INTERPRETER, 6);
    if ((slot.thread = find_thread_number(slot.cleared)) == NULL)
        return refuse(7, EPROTO);
    TRY(syscall(SYS_get_robust_list, 0, &slot.robust, &slot.robust_bytes), STAGE_INTERPRETER, 8);
    TRY(syscall(SYS_close_range, ~0u, ~0u, 0), STAGE_INTERPRETER, 9); /* Linux 5.9 */
    if (!is_at_its_path())
        return refuse(13, EXDEV);
    return 0;
}

/* A process that goes on with an empty program: 0 there; here its number when it stands still, at its end, or -1. */
static pid_t rehearse(void)
{
    const pid_t parent = getpid(), run = fork();
    int status = 0;
    if (run == 0) {
        if (enter_phase(&slot, PHASE_RUN) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0 ||
            syscall(SYS_close_range, 3, ~0u, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
            _exit(1);
        alarm(REHEARSAL_S);
        rehearsing = true;
        return 0;
    }
    while (run > 0 && waitpid(run, &status, WUNTRACED) < 0)
        if (errno != EINTR)
            return -1;
    return run > 0 && WIFSTOPPED(status) ? run : -1;
}

static __attribute__((destructor)) void end(void)
{
    if (rehearsing)
        raise(SIGSTOP);
}

/* With this process as it is, or as a rehearsal used it. */
static int learn(pid_t run)
{
    char name[32];
    snprintf(name, sizeof name, run > 0 ? "%d/pagemap" : "self/pagemap", run);
    int pages = openat(slot.host_proc, name, O_RDONLY | O_CLOEXEC);
    int done = find_ranges(pages);
    close(pages);
    if (run > 0) {
        kill(run, SIGKILL);
        TRY(waitpid(run, NULL, 0), STAGE_INTERPRETER, 14);
    }
    return done;
}

/* 1: in the rehearsal. */
static int get_ready(void)
{
    /* The kernel shows whose pages are where only of a process that is dumpable. */
    if (check() < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
        return -1;
    const pid_t run = rehearse();
    if (run == 0)
        return 1;
    if (learn(run) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 || close(startup_output) < 0)
        return -1;
    return empty_box(&slot) < 0 ? -1 : enter_phase(&slot, PHASE_WAIT);
}

static void hold(void)
{
    if (_setjmp(door) != 0) {
        forget();
        copy_ranges();
        return;
    }
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD); /* an interpreter may have asked for it: Ruby does */
    sigprocmask(SIG_BLOCK, &ended, NULL);
    slot.go_on = go_on;
    tell_stack_by(-1);
    prepare_cpython();
    const int ready = enter_phase(&slot, PHASE_PREPARE) < 0 ? -1 : get_ready();
    if (ready > 0)
        return;
    if (ready < 0 || announce(&slot) < 0) {
        send_failure(slot.socket, 0);
        _exit(1);
    }
    _exit(serve(&slot));
}

static bool is_of_run(const char *path)
{
    return path != NULL && (strstr(path, RUN_FILES) != NULL || strncmp(path, run_files, strlen(run_files)) == 0);
}

/* The path to look at: a rehearsal finds a program that holds nothing. */
static const char *look(const char *path)
{
    if (!(waiting || rehearsing) || !is_of_run(path))
        return path;
    int error = errno;
    if (waiting) {
        waiting = false;
        hold();
    }
    errno = error;
    return rehearsing ? "/dev/null" : path;
}

static __attribute__((constructor)) void begin(int argc, char **argv, char **envp)
{
    static const char preload[] = INTERPRETER_PRELOAD;
    (void)argc, (void)argv;
    while (*envp != NULL && strcmp(*envp, preload) != 0)
        envp++;
    if (*envp == NULL) /* loaded by somebody else */
        return;
    char *ours = *envp;
    unsetenv("LD_PRELOAD");
    memset(ours, 0, sizeof preload);
    slot = (struct slot)NO_SLOT;
    slot.socket = INTERPRETER_SOCKET;
    if (prepare_process(&slot) < 0 || set_up(&slot) < 0 || open_streams() < 0 || open_directory() < 0 ||
        (descriptors = count_entries("self/fd")) == 0 ||
        enter_phase(&slot, PHASE_RUN) < 0) { /* the interpreter starts as runs do */
        send_failure(slot.socket, 0);
        _exit(1);
    }
    wipe_stack();
    tell_stack_by(slot.host_proc);
    waiting = true;
}

/* Ways to look at a file, under the names of the C library's functions, which do the work. Those that begin with __ are
 * what programs call that were built for glibc before 2.33, or with _FORTIFY_SOURCE. */
#define LOOK(result, name, parameters, ...)                                                                            \
    __attribute__((visibility("default"))) result look_by_##name parameters __asm__(#name);                            \
    result look_by_##name parameters                                                                                   \
    {                                                                                                                  \
        static KEPT result(*real) parameters = NULL;                                                                   \
        path = look(path);                                                                                             \
        if (real == NULL)                                                                                              \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                 \
        return real(__VA_ARGS__);                                                                                      \
    }

LOOK(int, stat, (const char *restrict path, struct stat *restrict out), path, out)
LOOK(int, stat64, (const char *restrict path, struct stat64 *restrict out), path, out)
LOOK(int, __xstat, (int version, const char *path, struct stat *out), version, path, out)
LOOK(int, __xstat64, (int version, const char *path, struct stat64 *out), version, path, out)
LOOK(ssize_t, readlink, (const char *restrict path, char *restrict out, size_t size), path, out, size)
LOOK(FILE *, fopen, (const char *restrict path, const char *restrict mode), run_by_cpython(path), mode)
LOOK(FILE *, fopen64, (const char *restrict path, const char *restrict mode), run_by_cpython(path), mode)

/* The mode is there only where a file is made: as the C library does, it is taken in any case. */
#define LOOK_OPEN(name)                                                                                                \
    __attribute__((visibility("default"))) int look_by_##name(const char *path, int flags, ...) __asm__(#name);        \
    int look_by_##name(const char *path, int flags, ...)                                                               \
    {                                                                                                                  \
        static KEPT int (*real)(const char *, int, ...) = NULL;                                                        \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        const mode_t mode = va_arg(rest, mode_t);                                                                      \
        va_end(rest);                                                                                                  \
        path = look(path);                                                                                             \
        if (real == NULL)                                                                                              \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                 \
        return real(path, flags, mode);                                                                                \
    }

LOOK_OPEN(open)
LOOK_OPEN(open64)
