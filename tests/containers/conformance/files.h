/* Probes of what goes into a run's directories and comes out of them. Included by probe.c. */

static void write_output(void) /* so many MiB */
{
    static char block[MIB];
    int fd = open("output", O_WRONLY | O_CREAT, 0600);
    for (long i = 0; i < number; i++) {
        memset(block, (int)i, sizeof block);
        if (write(fd, block, sizeof block) != sizeof block)
            say("write", -1);
    }
}
static void sparse_outputs(void) /* two, each of so many MiB */
{
    const char *const names[] = {"a", "b"};
    for (int i = 0; i < 2; i++)
        say("truncate", ftruncate(open(names[i], O_WRONLY | O_CREAT, 0600), number * MIB));
}
static void closed_output(void) /* as one who forgot the mode that open takes */
{
    write(open("output", O_WRONLY | O_CREAT, 0), "closed", 6);
}
static void read_inputs(void) /* their bytes, and how many of these are 'i' */
{
    static char block[MIB];
    const char *const names[] = {"../in/first", "second"};
    long bytes = 0, marks = 0;
    for (int i = 0; i < 2; i++) {
        const int fd = open(names[i], O_RDONLY);
        for (ssize_t got; (got = read(fd, block, sizeof block)) > 0; bytes += got)
            for (ssize_t at = 0; at < got; at++)
                marks += block[at] == 'i';
    }
    printf("%ld %ld\n", bytes, marks);
}
