"""The system calls that a run, and the launcher itself, may make. What is not listed fails with ENOSYS, as on a kernel
that lacks it, so that a C library falls back.

One exception is the kernel's: from Linux 6.14 on calls 335 and 336 of x86-64 (uretprobe, uprobe) pass every filter.
They do something only where the kernel itself has put a probe into the program; else they are SIGILL, or ENXIO.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from containers.errors import Unavailable

#: Machines that the table is written for: its column, and AUDIT_ARCH of linux/audit.h.
MACHINES = {"x86_64": (1, 0xC000003E), "aarch64": (2, 0xC00000B7)}


class Action(StrEnum):
    """What is done with a call: `run.py` for a run, `helper.py` for the launcher and the stub."""

    #: Not in the table: ENOSYS.
    NONE = "NONE"
    ALLOW = "ALLOW"
    #: EPERM: an honest program may try it and go on.
    REFUSE = "REFUSE"
    #: EPERM, and recorded: no solution has an honest use for it.
    REPORT = "REPORT"
    #: Allowed where processes are. Else EPERM: at EAGAIN Perl and shells wait, and try again.
    PROCESS = "PROCESS"
    #: Of tools alone: compilers set times of their output, and lock it.
    BUILD = "BUILD"
    #: Likewise the mode; and of runs that share no file with another one.
    MODE = "MODE"
    #: Makes a file: counted where no tmpfs bounds them.
    CREATE = "CREATE"
    #: Changes a directory.
    CHANGE = "CHANGE"
    #: Names a file: looked at where the listener looks at every path.
    LOOK = "LOOK"
    #: EOPNOTSUPP where looking bounds the bytes of files: it is faster than any look.
    ALLOCATE = "ALLOCATE"
    TRUNCATE = "TRUNCATE"
    #: Sends a signal: to the program itself only.
    SELF = "SELF"
    #: EOPNOTSUPP, as where the file system knows no extended attributes.
    LACKING = "LACKING"
    #: EINVAL, as for a descriptor of the wrong kind.
    UNFIT = "UNFIT"
    # By their arguments:
    CLONE = "CLONE"
    CLOSE_RANGE = "CLOSE_RANGE"
    EXECVEAT = "EXECVEAT"
    RENAME = "RENAME"
    OWN = "OWN"
    OPEN = "OPEN"
    OPENAT = "OPENAT"
    PRCTL = "PRCTL"
    IOCTL = "IOCTL"
    FCNTL = "FCNTL"
    MAP = "MAP"
    SETRLIMIT = "SETRLIMIT"
    PRLIMIT = "PRLIMIT"
    CLOCK = "CLOCK"
    PERSONALITY = "PERSONALITY"
    SOCKETPAIR = "SOCKETPAIR"
    #: Of helpers alone.
    MOUNT = "MOUNT"
    SCHEDULER = "SCHEDULER"


#: Name, number on x86-64, number on aarch64 (-: none), action; grouped by why.
RUN_ROWS = """
# Files and directories: what may be reached is the mount view's and Landlock's to say.
read                       0   63  ALLOW
write                      1   64  ALLOW
readv                     19   65  ALLOW
writev                    20   66  ALLOW
pread64                   17   67  ALLOW
pwrite64                  18   68  ALLOW
preadv                   295   69  ALLOW
pwritev                  296   70  ALLOW
openat                   257   56  OPENAT
close                      3   57  ALLOW
lseek                      8   62  ALLOW
fstat                      5   80  ALLOW
newfstatat               262   79  ALLOW
statx                    332  291  ALLOW
faccessat                269   48  ALLOW
faccessat2               439  439  ALLOW
readlinkat               267   78  LOOK
getcwd                    79   17  ALLOW
chdir                     80   49  LOOK
fchdir                    81   50  ALLOW
getdents64               217   61  ALLOW
mkdirat                  258   34  CREATE
unlinkat                 263   35  CHANGE
renameat2                316  276  RENAME
linkat                   265   37  CREATE
symlinkat                266   36  CREATE
truncate                  76   45  TRUNCATE
ftruncate                 77   46  ALLOW
fallocate                285   47  ALLOCATE
fsync                     74   82  ALLOW
fdatasync                 75   83  ALLOW
readahead                187  213  ALLOW
dup                       32   23  ALLOW
dup3                     292   24  ALLOW
pipe2                    293   59  ALLOW
ppoll                    271   73  ALLOW
pselect6                 270   72  ALLOW
epoll_create1            291   20  ALLOW
epoll_ctl                233   21  ALLOW
epoll_pwait              281   22  ALLOW
epoll_pwait2             441  441  ALLOW
eventfd2                 290   19  ALLOW
timerfd_create           283   85  ALLOW
timerfd_settime          286   86  ALLOW
timerfd_gettime          287   87  ALLOW
signalfd4                289   74  ALLOW
statfs                   137   43  ALLOW
fstatfs                  138   44  ALLOW
umask                     95  166  ALLOW
copy_file_range          326  285  ALLOW
close_range              436  436  CLOSE_RANGE
socketpair                53  199  SOCKETPAIR
fcntl                     72   25  FCNTL
ioctl                     16   29  IOCTL

# openat2 stays ENOSYS: its flags lie in memory, where a filter cannot see that a file is created. preadv2 too: it
# tells what of a shared file is in memory, and so what others have read.

# They put pages of files into pipes and sockets, each of which keeps in memory all that the kernel has read or
# written together with it, up to 2 MiB: 2.8 GiB by 50 descriptors. As for descriptors that cannot do it: callers copy
# then.
sendfile                  40   71  UNFIT
splice                   275   76  UNFIT
tee                      276   77  UNFIT

# Memory. No memfd_create, shm or mq: memory that outlives mappings and is counted nowhere.
mmap                       9  222  MAP
munmap                    11  215  ALLOW
mprotect                  10  226  ALLOW
mremap                    25  216  ALLOW
madvise                   28  233  ALLOW
brk                       12  214  ALLOW
msync                     26  227  ALLOW
mincore                   27  232  ALLOW
mlock                    149  228  ALLOW
munlock                  150  229  ALLOW
mlock2                   325  284  ALLOW
mlockall                 151  230  ALLOW
munlockall               152  231  ALLOW
membarrier               324  283  ALLOW
get_mempolicy            239  236  ALLOW

# Threads, and the program itself. clone3 stays ENOSYS: its flags lie in memory; glibc falls back to clone. getpgid,
# getsid, getpriority and sched_get* may name any process, and tell its group, nice value and cores: libraries ask for
# those of their threads, whose numbers a filter does not know.
clone                     56  220  CLONE
execve                    59  221  LOOK
execveat                 322  281  EXECVEAT
exit                      60   93  ALLOW
exit_group               231   94  ALLOW
wait4                     61  260  ALLOW
waitid                   247   95  ALLOW
futex                    202   98  ALLOW
set_robust_list          273   99  ALLOW
get_robust_list          274  100  OWN
rseq                     334  293  ALLOW
set_tid_address          218   96  ALLOW
gettid                   186  178  ALLOW
getpid                    39  172  ALLOW
getppid                  110  173  ALLOW
getuid                   102  174  ALLOW
geteuid                  107  175  ALLOW
getgid                   104  176  ALLOW
getegid                  108  177  ALLOW
getresuid                118  148  ALLOW
getresgid                120  150  ALLOW
getgroups                115  158  ALLOW
getpgid                  121  155  ALLOW
getsid                   124  156  ALLOW
capget                   125   90  ALLOW
sched_yield               24  124  ALLOW
sched_getaffinity        204  123  ALLOW
sched_getparam           143  121  ALLOW
sched_getscheduler       145  120  ALLOW
sched_get_priority_max   146  125  ALLOW
sched_get_priority_min   147  126  ALLOW
getpriority              140  141  ALLOW
getrusage                 98  165  ALLOW
times                    100  153  ALLOW
uname                     63  160  ALLOW
sysinfo                   99  179  ALLOW
getcpu                   309  168  ALLOW
getrandom                318  278  ALLOW
restart_syscall          219  128  ALLOW
prctl                    157  167  PRCTL
prlimit64                302  261  PRLIMIT
getrlimit                 97  163  ALLOW
setrlimit                160  164  SETRLIMIT
personality              135   92  PERSONALITY

# Clocks, timers, signals to oneself.
clock_gettime            228  113  CLOCK
clock_getres             229  114  CLOCK
clock_nanosleep          230  115  CLOCK
nanosleep                 35  101  ALLOW
gettimeofday              96  169  ALLOW
setitimer                 38  103  ALLOW
getitimer                 36  102  ALLOW
timer_create             222  107  CLOCK
timer_settime            223  110  ALLOW
timer_gettime            224  108  ALLOW
timer_getoverrun         225  109  ALLOW
timer_delete             226  111  ALLOW
rt_sigaction              13  134  ALLOW
rt_sigprocmask            14  135  ALLOW
rt_sigreturn              15  139  ALLOW
rt_sigpending            127  136  ALLOW
rt_sigtimedwait          128  137  ALLOW
rt_sigsuspend            130  133  ALLOW
rt_sigqueueinfo          129  138  SELF
rt_tgsigqueueinfo        297  240  SELF
sigaltstack              131  132  ALLOW
kill                      62  129  SELF
tkill                    200  130  SELF
tgkill                   234  131  SELF

# Of the program's own ids, or of other processes: refused in silence, for libraries try some of them.
setpgid                  109  154  REFUSE
setsid                   112  157  REFUSE
setuid                   105  146  REFUSE
setgid                   106  144  REFUSE
setreuid                 113  145  REFUSE
setregid                 114  143  REFUSE
setresuid                117  147  REFUSE
setresgid                119  149  REFUSE
setfsuid                 122  151  REFUSE
setfsgid                 123  152  REFUSE
setgroups                116  159  REFUSE
capset                   126   91  REFUSE
setpriority              141  140  REFUSE
ioprio_set               251   30  REFUSE
sched_setaffinity        203  122  REFUSE
sched_setscheduler       144  119  SCHEDULER
sched_setparam           142  118  REFUSE
sched_setattr            314  274  REFUSE
sync                     162   81  REFUSE
syncfs                   306  267  REFUSE
mknodat                  259   33  REFUSE
seccomp                  317  277  REFUSE
memfd_create             319  279  REFUSE

# Metadata and locks: on files that other runs or the judge share, a way to disturb and to signal.
getxattr                 191    8  LACKING
lgetxattr                192    9  LACKING
fgetxattr                193   10  LACKING
listxattr                194   11  LACKING
llistxattr               195   12  LACKING
flistxattr               196   13  LACKING
fadvise64                221  223  REFUSE
fchmod                    91   52  MODE
fchmodat                 268   53  MODE
utimensat                280   88  BUILD
flock                     73   32  BUILD
fchown                    93   55  REFUSE
fchownat                 260   54  REFUSE
setxattr                 188    5  REFUSE
lsetxattr                189    6  REFUSE
fsetxattr                190    7  REFUSE
removexattr              197   14  REFUSE
lremovexattr             198   15  REFUSE
fremovexattr             199   16  REFUSE
inotify_init1            294   26  REFUSE
inotify_add_watch        254   27  REFUSE

# No honest use in a solution: refused and recorded.
mount                    165   40  REPORT
umount2                  166   39  REPORT
pivot_root               155   41  REPORT
chroot                   161   51  REPORT
fsopen                   430  430  REPORT
fsmount                  432  432  REPORT
fsconfig                 431  431  REPORT
fspick                   433  433  REPORT
move_mount               429  429  REPORT
open_tree                428  428  REPORT
mount_setattr            442  442  REPORT
unshare                  272   97  REPORT
setns                    308  268  REPORT
ptrace                   101  117  REPORT
process_vm_readv         310  270  REPORT
process_vm_writev        311  271  REPORT
pidfd_open               434  434  REPORT
pidfd_getfd              438  438  REPORT
pidfd_send_signal        424  424  REPORT
kcmp                     312  272  REPORT
bpf                      321  280  REPORT
perf_event_open          298  241  REPORT
userfaultfd              323  282  REPORT
io_uring_setup           425  425  REPORT
io_uring_enter           426  426  REPORT
io_uring_register        427  427  REPORT
keyctl                   250  219  REPORT
add_key                  248  217  REPORT
request_key              249  218  REPORT
init_module              175  105  REPORT
finit_module             313  273  REPORT
delete_module            176  106  REPORT
kexec_load               246  104  REPORT
reboot                   169  142  REPORT
swapon                   167  224  REPORT
swapoff                  168  225  REPORT
acct                     163   89  REPORT
quotactl                 179   60  REPORT
syslog                   103  116  REPORT
sethostname              170  161  REPORT
setdomainname            171  162  REPORT
settimeofday             164  170  REPORT
clock_settime            227  112  REPORT
adjtimex                 159  171  REPORT
clock_adjtime            305  266  REPORT
open_by_handle_at        304  265  REPORT
name_to_handle_at        303  264  REPORT
fanotify_init            300  262  REPORT
fanotify_mark            301  263  REPORT
vhangup                  153   58  REPORT
nfsservctl               180   42  REPORT
lookup_dcookie           212   18  REPORT
migrate_pages            256  238  REPORT
move_pages               279  239  REPORT
socket                    41  198  REPORT
connect                   42  203  REPORT
bind                      49  200  REPORT
listen                    50  201  REPORT
accept                    43  202  REPORT
accept4                  288  242  REPORT
shmget                    29  194  REPORT
shmat                     30  196  REPORT
shmctl                    31  195  REPORT
msgget                    68  186  REPORT
msgsnd                    69  189  REPORT
msgrcv                    70  188  REPORT
semget                    64  190  REPORT
semop                     65  193  REPORT
mq_open                  240  180  REPORT
mq_unlink                241  181  REPORT

# The older forms of the above, which aarch64 never had, and one that it has instead.
open                       2    -  OPEN
creat                     85    -  CREATE
stat                       4    -  ALLOW
lstat                      6    -  ALLOW
access                    21    -  ALLOW
readlink                  89    -  LOOK
getdents                  78    -  ALLOW
mkdir                     83    -  CREATE
rmdir                     84    -  CHANGE
unlink                    87    -  CHANGE
rename                    82    -  CHANGE
renameat                 264   38  CHANGE
link                      86    -  CREATE
symlink                   88    -  CREATE
dup2                      33    -  ALLOW
pipe                      22    -  ALLOW
poll                       7    -  ALLOW
select                    23    -  ALLOW
epoll_create             213    -  ALLOW
epoll_wait               232    -  ALLOW
eventfd                  284    -  ALLOW
signalfd                 282    -  ALLOW
arch_prctl               158    -  ALLOW
getpgrp                  111    -  ALLOW
time                     201    -  ALLOW
alarm                     37    -  ALLOW
pause                     34    -  ALLOW
fork                      57    -  PROCESS
vfork                     58    -  PROCESS
chmod                     90    -  MODE
utime                    132    -  BUILD
utimes                   235    -  BUILD
futimesat                261    -  BUILD
chown                     92    -  REFUSE
lchown                    94    -  REFUSE
mknod                    133    -  REFUSE
inotify_init             253    -  REFUSE
iopl                     172    -  REPORT
ioperm                   173    -  REPORT
modify_ldt               154    -  REPORT
uselib                   134    -  REPORT
ustat                    136    -  REPORT
_sysctl                  156    -  REPORT
kexec_file_load          320    -  REPORT
sync_file_range            -   84  ALLOW
"""

#: Calls that the launcher, the stub and a program on its way make beside those of the table, or otherwise.
HELPER_ROWS = """
# Requests, results, and the descriptors that come and go with them.
recvfrom                  45  207  ALLOW
recvmsg                   47  212  ALLOW
sendto                    44  206  ALLOW
sendmsg                   46  211  ALLOW

# Files that a run is given, and file systems for them. Namespaces of a stub: CLONE.
sendfile                  40   71  ALLOW
mount                    165   40  MOUNT
umount2                  166   39  ALLOW

# Whose the files of a run are.
fchown                    93   55  ALLOW
fchownat                 260   54  ALLOW
chown                     92    -  ALLOW

# Phases; paths that are vetted.
capset                   126   91  ALLOW
setfsuid                 122  151  ALLOW
setfsgid                 123  152  ALLOW
openat2                  437  437  ALLOW

# The walls of a run.
setsid                   112  157  ALLOW
setresuid                117  147  ALLOW
setresgid                119  149  ALLOW
landlock_restrict_self   446  446  ALLOW
seccomp                  317  277  ALLOW
"""

#: Calls of the relay. It opens nothing, makes nothing, executes nothing and signals nobody.
RELAY_ROWS = """
read                       0   63  ALLOW
write                      1   64  ALLOW
close                      3   57  ALLOW
poll                       7    -  ALLOW
ppoll                    271   73  ALLOW
ioctl                     16   29  ALLOW
fcntl                     72   25  ALLOW
recvfrom                  45  207  ALLOW
recvmsg                   47  212  ALLOW
sendto                    44  206  ALLOW
clock_gettime            228  113  ALLOW
restart_syscall          219  128  ALLOW
rt_sigreturn              15  139  ALLOW
exit_group               231   94  ALLOW
"""


@cache
def machine() -> str:
    """
    Raises:
        Unavailable: the table has no column for this machine.
    """
    name = platform.machine()
    if name not in MACHINES:
        raise Unavailable(f"the system call table is written for {' and '.join(MACHINES)}, not for {name}")
    return name


@cache
def read_rows(rows: str, on: str) -> Mapping[str, tuple[int, Action]]:
    """The calls of `rows` that machine `on` has: name → number and action."""
    column, _ = MACHINES[on]
    parts = [line.split() for line in rows.splitlines() if line and not line.startswith("#")]
    return {row[0]: (int(row[column]), Action(row[3])) for row in parts if row[column] != "-"}


@cache
def numbers(on: str) -> Mapping[str, int]:
    """Numbers of all calls in the table, by name."""
    return {name: number for name, (number, _) in read_rows(RUN_ROWS + HELPER_ROWS + RELAY_ROWS, on).items()}


def actions(rows: str, on: str) -> dict[int, Action]:
    """What is done with each call, by number."""
    return dict(read_rows(rows, on).values())


@cache
def syscall_names() -> Mapping[int, str]:
    """Names of the system calls that a run's table lists, by their numbers on this machine."""
    return {number: name for name, (number, _) in read_rows(RUN_ROWS, machine()).items()}
