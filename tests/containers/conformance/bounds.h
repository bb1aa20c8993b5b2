/* Part of probe.c: what must be bounded although it is seen nowhere at once. */
static void unmap_shared(void) /* all but a page of each, which keeps the rest */
{
    for (int i = 0; i < 32; i++) {
        char *memory = mmap(NULL, 32 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            break;
        touch(memory, 32 * MIB);
        munmap(memory + 4096, 32 * MIB - 4096);
    }
    puts("done");
}
static void page_tables(void) /* and no page of its own: reads the page of zeros, far apart */
{
    const size_t size = 16ul << 30;
    volatile char *memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t at = 0; at < size; at += 2 * MIB)
        (void)memory[at];
    sleep(1);
    puts("done");
}
static void files_without_names(void) /* this many of a MiB each: by a descriptor, or by a mapping alone */
{
    static char block[MIB];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 40; i++) {
        int fd = open("file", O_RDWR | O_CREAT, 0600);
        if (fd < 0 || write(fd, block, sizeof block) != sizeof block)
            break;
        unlink("file");
        if (number) {
            mmap(NULL, sizeof block, PROT_READ, MAP_PRIVATE, fd, 0);
            close(fd);
        }
    }
    sleep(2);
    puts("done");
}
static void allocates(void) { say("fallocate", fallocate(creat("file", 0600), 0, 0, MIB)); }
static int stay(void *unused) /* without a C library's thread, which this may not be */
{
    for (;;)
        syscall(SYS_ppoll, NULL, 0, NULL, NULL, 8);
    return unused != NULL;
}
static void makes(const char *what, int flags)
{
    static char stacks[32][4096] __attribute__((aligned(16)));
    static int made;
    say(what, clone(stay, stacks[++made], flags, NULL));
}
static void own_views(void) /* a thread that does not share all that the others share, and what else could be so made */
{
    const int all = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
    makes("thread", all);
    makes("musl", all | CLONE_SYSVSEM | CLONE_DETACHED);
    makes("go", all | CLONE_SYSVSEM);
    makes("descriptors", all & ~CLONE_FILES);
    makes("directory", all & ~CLONE_FS);
    makes("handlers", all & ~CLONE_SIGHAND);
    makes("memory", all & ~CLONE_VM);
    makes("process", all & ~CLONE_THREAD);
    makes("disk", all | CLONE_IO);
    makes("sibling", all | CLONE_PARENT);
    makes("untraced", all | CLONE_UNTRACED);
    makes("traced", all | CLONE_PTRACE);
    makes("waited", all | CLONE_VFORK);
    makes("handle", all | CLONE_PIDFD);
    say("close", syscall(SYS_close_range, 1000, ~0u, 0));
    say("close-on-exec", syscall(SYS_close_range, 1000, ~0u, 4));
    say("close-apart", syscall(SYS_close_range, 1000, ~0u, 2));
    say("close-both", syscall(SYS_close_range, 1000, ~0u, 6));
    say("unshare-descriptors", unshare(CLONE_FILES));
    say("unshare-directory", unshare(CLONE_FS));
    fflush(stdout);
    syscall(SYS_exit_group, 0);
}
static void *hoard(void *unused) /* files without a name, in a table of its own if that can be had */
{
    static char block[MIB];
    syscall(SYS_close_range, 1000, ~0u, 2);
    for (int i = 0; i < 10; i++) {
        int fd = open(".", O_WRONLY | O_TMPFILE, 0600);
        if (fd < 0 || write(fd, block, sizeof block) != sizeof block)
            break;
    }
    return forever(unused);
}
static void files_in_tables(void)
{
    pthread_t thread;
    creat("a file, so that there are some to look at", 0600);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, hoard, NULL);
    sleep(2);
    puts("done");
}
static void moves_pages(void) /* of a file, into a pipe or a socket, where they stay when the file is gone */
{
    int ends[2], file = open("file", O_RDWR | O_CREAT, 0600), both[2];
    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, both);
    write(file, "pages", 5);
    write(ends[1], "x", 1);
    say("splice", splice(file, &(loff_t){0}, ends[1], NULL, 1, 0));
    say("tee", tee(ends[0], ends[1], 1, SPLICE_F_NONBLOCK));
    say("sendfile", sendfile(both[0], file, &(off_t){0}, 1));
    say("vmsplice", vmsplice(ends[1], &(struct iovec){"x", 1}, 1, 0));
}
static void renames(void)
{
    const int here = AT_FDCWD;
    creat("a", 0600), creat("b", 0600);
    say("plain", syscall(SYS_renameat2, here, "a", here, "c", 0));
    say("new", syscall(SYS_renameat2, here, "c", here, "a", 1 /* RENAME_NOREPLACE */));
    say("exchange", syscall(SYS_renameat2, here, "a", here, "b", 2 /* RENAME_EXCHANGE */));
    say("whiteout", syscall(SYS_renameat2, here, "a", here, "c", 4 /* RENAME_WHITEOUT */));
    say("whiteout-new", syscall(SYS_renameat2, here, "a", here, "c", 5));
}

/* Names that read as lines of /proc, where it shows them as they are (gVisor): memory is to be hidden behind them. */
static void named_as_status(void) /* the process */
{
    prctl(PR_SET_NAME, "a\nVmRSS: 1 kB", 0, 0, 0);
    touch(malloc((size_t)number * MIB), (size_t)number * MIB);
    puts("done");
}
static void map_private(const char *name) /* a file, again and again */
{
    const size_t part = 16 * MIB;
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)part) < 0)
        return perror(name);
    for (size_t mapped = 0; mapped < (size_t)number * MIB; mapped += part)
        touch(mmap(NULL, part, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0), part);
    puts("done");
}
static void named_as_sum(void) { map_private("x\nAnonymous: 18014398509465600 kB"); } /* 2^64 bytes less each mapping */
static void named_as_shown(void) /* a mapping of a file of the view */
{
    char name[256], *slash;
    struct stat shown;
    stat("/usr/bin/env", &shown);
    snprintf(name, sizeof name, "x\n1-2 r--s 0 %x:%x %lu /usr/bin/env\n", (unsigned)shown.st_dev >> 8,
             (unsigned)shown.st_dev & 255, (unsigned long)shown.st_ino);
    for (slash = name; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        mkdir(name, 0700);
    }
    map_private(name);
}
