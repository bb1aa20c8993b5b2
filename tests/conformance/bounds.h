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
static void own_descriptors(void) /* a thread with a table of its own; the kernel would find fault with the flags */
{
    say("clone", syscall(SYS_clone, CLONE_VM | CLONE_THREAD, 0, 0, 0, 0));
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
