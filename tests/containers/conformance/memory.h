/* Probes of probe.c that use memory, each in its own way. */
static void allocate(void) { touch(malloc((size_t)number * MIB), (size_t)number * MIB); puts("done"); }
static void allocate_forever(void) { for (;;) touch(malloc(MIB), MIB); }
static void map_shared(void)
{
    char *memory = mmap(NULL, (size_t)number * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    touch(memory, (size_t)number * MIB);
    puts("done");
}
static void map_input(void) /* all of it, and memory beside */
{
    struct stat input;
    fstat(0, &input);
    const char *memory = mmap(NULL, (size_t)input.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, 0, 0);
    long sum = 0;
    for (long i = 0; i < input.st_size; i += 4096)
        sum += memory[i];
    allocate();
    printf("%ld\n", sum);
}
static void read_input(void) /* as above */
{
    static char block[65536];
    while (read(0, block, sizeof block) > 0)
        ;
    allocate();
}
static void look_into_input(void) /* its offset stays where it was */
{
    char byte;
    say("look", pread(0, &byte, 1, 0));
    allocate();
}
static void drop_shared(void) /* held, and in no page table; and as much memory beside */
{
    const size_t all = (size_t)number << 20, part = 1 << 20;
    char *shared = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t at = 0; at < all; at += part) {
        memset(shared + at, 1, part);
        madvise(shared + at, part, MADV_DONTNEED);
    }
    allocate();
    for (size_t at = 0; at < all; at += part)
        if (shared[at] != 1)
            puts("lost");
}
static void huge_pages(void) /* of the machine's pool; none need be there */
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE;
    say("huge", mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED ? -1 : 0);
}
static void names_of_nothing(void) /* the kernel remembers that there is no such file */
{
    char path[256];
    struct stat none;
    for (long i = 0; i < number; i++) {
        snprintf(path, sizeof path, "%s%0180ld", getenv("PREFIX"), i);
        stat(path, &none);
    }
    puts("done");
}
static void keep_file(void) /* of so many MiB */
{
    static char block[MIB];
    int fd = open("kept", O_WRONLY | O_CREAT, 0600);
    memset(block, 1, sizeof block);
    for (long i = 0; i < number; i++)
        write(fd, block, sizeof block);
    puts("done");
}
static void reserve(void) /* address space that is never touched */
{
    void *memory = mmap(NULL, (size_t)number * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    puts(memory == MAP_FAILED ? "refused" : "done");
}
static void near_limit_crash(void) { touch(malloc((size_t)number * MIB), (size_t)number * MIB); abort(); }
static long recurse(long bytes)
{
    volatile char frame[4096];
    frame[0] = 1;
    return bytes <= 0 ? frame[0] : recurse(bytes - 4096) + frame[0];
}
static void recursion(void) { printf("%ld\n", recurse(number * MIB) > 0); }
