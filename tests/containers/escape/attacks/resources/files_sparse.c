// Tries: a file of a terabyte that holds nothing, and writing at its far end
// Control: no, the bound on the size of files is the control's own
// Expect: exited signalled
// Bound: 16 MiB

#include <attack.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

int main(void)
{
    struct stat status;
    signal(SIGXFSZ, SIG_IGN);
    int fd = open("x", O_RDWR | O_CREAT, 0600);
    TRY(ftruncate(fd, 1l << 40));
    TRY(truncate("x", 1l << 40));
    TRY((int)pwrite(fd, "x", 1, 1l << 40));
    fallocate(fd, FALLOC_FL_KEEP_SIZE, 1l << 40, 1 << 20); /* allowed: a mebibyte, wherever it lies */
    TRY((int)copy_file_range(fd, NULL, fd, (long[]){1l << 40}, 1, 0) < 1 ? -1 : 0);
    ftruncate(fd, 16 << 20);
    fstat(fd, &status);
    got(status.st_size >> 20, "MiB");
}
