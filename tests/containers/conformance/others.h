/* Probes of files that are opened again or executed, and of other processes; part of probe.c. */
static void reopens(void) /* a file of which it has a descriptor for reading, through the names of its streams */
{
    static const char *const names[] = {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/thread-self/fd/0"};
    char byte, own[64];
    int file = open(text, O_RDONLY);
    dup2(file, 0);
    snprintf(own, sizeof own, "/proc/%d/fd/0", getpid());
    for (int i = 0; i < 5; i++) {
        const char *name = i < 4 ? names[i] : own;
        say("both", open(name, O_RDWR | O_TRUNC));
        say("write", open(name, O_WRONLY));
        say("create", open(name, O_WRONLY | O_CREAT, 0600));
        say("creat", creat(name, 0600));
        say("truncate", truncate(name, 0));
        int path = open(name, O_PATH);
        if (path >= 0)
            dup2(path, 0);
        say("by-path", open(name, O_WRONLY));
        dup2(file, 0);
    }
    say("read", read(open("/dev/stdin", O_RDONLY), &byte, 1) == 1 ? 0 : -1);
}
static void makes_program(const char *name, const char *content, size_t bytes)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    write(fd, content, bytes);
    close(fd);
}
static void executes(void) /* the program TEXT, in every way; it prints a line, else the next way is tried */
{
    char *argv[] = {"program", NULL}, *envp[] = {NULL}, script[600], link[] = "link", by[64];
    struct {
        Elf64_Ehdr head;
        Elf64_Phdr parts[2];
        char name[512];
    } image = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                        .e_type = ET_DYN,
                        .e_version = EV_CURRENT,
                        .e_phoff = sizeof image.head,
                        .e_ehsize = sizeof image.head,
                        .e_phentsize = sizeof(Elf64_Phdr),
                        .e_phnum = 2}};
#ifdef __x86_64__
    image.head.e_machine = EM_X86_64;
#else
    image.head.e_machine = EM_AARCH64;
#endif
    snprintf(image.name, sizeof image.name, "%s", text);
    image.parts[0] = (Elf64_Phdr){.p_type = PT_INTERP, .p_offset = offsetof(typeof(image), name), .p_filesz = strlen(text) + 1};
    image.parts[1] = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = sizeof image, .p_memsz = sizeof image, .p_align = 4096};
    setvbuf(stdout, NULL, _IONBF, 0);
    say("plain", execve(text, argv, envp));
    symlink(text, link);
    say("link", execve(link, argv, envp));
    say("at", syscall(SYS_execveat, AT_FDCWD, text, argv, envp, 0));
    int fd = open(text, O_PATH);
    say("descriptor", syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH));
    dup2(fd, 0);
    say("stream", execve("/dev/stdin", argv, envp));
    say("past-a-descriptor", syscall(SYS_execveat, 1023, text, argv, envp, AT_EMPTY_PATH));
    snprintf(script, sizeof script, "#!%s\n", text);
    makes_program("script", script, strlen(script));
    say("script", execve("./script", argv, envp));
    makes_program("loaded", (char *)&image, sizeof image);
    say("loader", execve("./loaded", argv, envp));
    snprintf(by, sizeof by, "/proc/self/fd/%d", open("./loaded", O_RDONLY));
    say("loader-by-descriptor", execve(by, argv, envp));
    puts("end -");
}
static void of_others(void) /* what tells of the process TEXT */
{
    static const char *const names[] = {"cwd", "root", "exe", "fd/0", "fd/1", "ns/pid"};
    char path[64], to[256], here[256];
    void *head;
    size_t size;
    getcwd(here, sizeof here);
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "/proc/%ld/%s", number, names[i]);
        say("readlink", readlink(path, to, sizeof to));
        say("readlinkat", readlinkat(AT_FDCWD, path, to, sizeof to));
        unlink("link");
        snprintf(path, sizeof path, "/proc/%ld/%.2s", number, i < 3 ? "." : "fd");
        symlink(path, "link");
        snprintf(path, sizeof path, "link/%s", i < 3 ? names[i] : names[i] + 3);
        say("through-link", readlink(path, to, sizeof to));
    }
    snprintf(path, sizeof path, "/proc/%ld/cwd", number);
    say("chdir", chdir(path));
    snprintf(path, sizeof path, "/proc/%ld", number);
    if (chdir(path) == 0)
        say("from-within", readlink("cwd", to, sizeof to));
    chdir(here);
    say("robust", syscall(SYS_get_robust_list, number, &head, &size));
    say("robust-by-number", syscall(SYS_get_robust_list, getpid(), &head, &size));
    say("own-robust", syscall(SYS_get_robust_list, 0, &head, &size));
}
static void signals_out(void) /* to TEXT and to the parent by no call; to its own it may */
{
    siginfo_t forged = {.si_code = SI_QUEUE};
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    for (int i = 0; i < 2; i++) {
        const long to = i == 0 ? getppid() : number;
        say("kill", kill(to, 0));
        say("tkill", syscall(SYS_tkill, to, 0));
        say("tgkill", syscall(SYS_tgkill, to, to, 0));
        say("queue", syscall(SYS_rt_sigqueueinfo, to, 0, &forged));
        say("queue-thread", syscall(SYS_rt_tgsigqueueinfo, to, to, 0, &forged));
        const pid_t group = getpgid(to); /* 0: one of another namespace */
        say("group", group > 0 ? kill(-group, 0) : -1);
    }
    say("own-group", kill(0, 0));
    say("own-group-by-number", kill(-getpid(), 0));
    say("own", kill(getpid(), 0));
    say("own-child", kill(child, SIGKILL));
    wait(NULL);
}
