/* Every way to reach a file by a path. Argument: a directory outside the working directory, which holds the file
 * "secret" and may be written. Prints one line for each way: its name, and "ok" or the error. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static char outside[512], secret[600], target[600];

static void report(const char *way, long result)
{
    printf("%s %s\n", way, result >= 0 ? "ok" : strerrorname_np(errno));
    if (result > 2)
        close((int)result);
}

/* Whether a descriptor holds the secret, not a file of our own. */
static long reads_secret(int fd)
{
    char text[7] = "";
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, text, 6);
    close(fd);
    errno = ENODATA;
    return got == 6 && strcmp(text, "secret") == 0 ? 0 : -1;
}

static const char *in(const char *name)
{
    snprintf(target, sizeof target, "%s/%s", outside, name);
    return target;
}

static void make(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    if (fd >= 0)
        close(fd);
}

/* A name that changes while it is looked at: to the secret's, and back to a harmless one. */
static char name[600];
static volatile int swapping = 1;
static void swap(void) { strcpy(name, strcmp(name, secret) == 0 ? "mine" : secret); }
static void *swap_always(void *unused)
{
    while (swapping)
        swap();
    return unused;
}
static void on_alarm(int number) { (void)number, swap(); }

static void race(const char *way)
{
    long found = -1;
    for (int i = 0; i < 2000 && found < 0; i++)
        found = reads_secret(open(name, O_RDONLY));
    errno = EACCES;
    report(way, found);
}

static void reading(void)
{
    char up[700] = "";
    struct {
        unsigned long long flags, mode, resolve;
    } how = {0};
    report("plain", reads_secret(open(secret, O_RDONLY)));
    for (int i = 0; i < 20; i++)
        strcat(up, "../");
    strcat(up, secret + 1);
    report("upwards", reads_secret(open(up, O_RDONLY)));
    symlink(secret, "link");
    report("link", reads_secret(open("link", O_RDONLY)));
    symlink(outside, "directory");
    report("directory_link", reads_secret(open("directory/secret", O_RDONLY)));
    int base = open(outside, O_PATH);
    report("openat", reads_secret(openat(base, "secret", O_RDONLY)));
    report("openat2", reads_secret((int)syscall(SYS_openat2, AT_FDCWD, secret, &how, sizeof how)));
    snprintf(up, sizeof up, "/proc/self/root%s", secret);
    report("proc_root", reads_secret(open(up, O_RDONLY)));
    report("proc_environ", reads_secret(open("/proc/self/environ", O_RDONLY)));
    report("proc_mem", open("/proc/self/mem", O_RDWR));
}

static void changing(void)
{
    char here[600];
    make("mine");
    report("hard_link", link(secret, "hard"));
    report("hard_link_out", link("mine", in("hard")));
    report("symlink_out", symlink("mine", in("symlink")));
    report("mkdir", mkdir(in("made"), 0700));
    report("create", open(in("new"), O_CREAT | O_WRONLY, 0600));
    symlink(in("dangling"), "dangling");
    report("dangling", open("dangling", O_CREAT | O_WRONLY, 0600));
    report("temporary", open(outside, O_TMPFILE | O_RDWR, 0600));
    report("append", open(secret, O_WRONLY | O_APPEND));
    report("rename_out", rename("mine", in("renamed")));
    report("truncating_open", open(secret, O_RDONLY | O_TRUNC));
    report("neither", open(secret, O_ACCMODE));
    report("neither_truncating", open(secret, O_ACCMODE | O_TRUNC));
    report("truncate", truncate(secret, 0));
    report("rename", rename(secret, "stolen"));
    make(secret);
    report("unlink", unlink(secret));
    make(secret);
    getcwd(here, sizeof here);
    if (chdir(outside) == 0)
        report("unlink_here", unlink("secret"));
    chdir(here);
}

static void elsewhere(void)
{
    char here[600];
    getcwd(here, sizeof here);
    make("secret"); /* what a look from elsewhere would find */
    if (chdir(outside) < 0)
        return;
    report("chdir", reads_secret(open("secret", O_RDONLY)));
    report("proc_cwd", reads_secret(open("/proc/self/cwd/secret", O_RDONLY)));
    report("thread_cwd", reads_secret(open("/proc/thread-self/cwd/secret", O_RDONLY)));
    chdir(here);
}

static void racing(void)
{
    pthread_t thread;
    const struct itimerval often = {{0, 200}, {0, 200}};
    make("mine");
    strcpy(name, "mine");
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    race("signal_race");
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    strcpy(name, "mine");
    pthread_create(&thread, NULL, swap_always, NULL);
    race("thread_race");
    swapping = 0;
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    snprintf(outside, sizeof outside, "%s", argc > 1 ? argv[1] : ".");
    snprintf(secret, sizeof secret, "%s/secret", outside);
    reading();
    elsewhere();
    changing();
    racing(); /* last: where there is a second thread some open nothing any more */
    puts("end");
    return 0;
}
