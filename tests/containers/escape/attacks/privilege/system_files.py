# Tries: writes, makes, moves, links and removes files wherever others would notice: system, temporary and kernel directories
# Control: yes
# Limits: cpu=5s wall=30s
import os
from contextlib import suppress

from attack import attempt, canary, held

MARK = canary("mark")
FILES = [canary("writable"), canary("file"), canary("lock"), canary("answer")]
DIRECTORIES = [canary("world"), os.path.dirname(canary("file"))] + (
    "/ /tmp /var/tmp /dev /dev/shm /run /run/lock /usr /usr/bin /usr/local/lib /etc /bin /lib /proc /sys/fs/cgroup "
    "/sys/fs/cgroup/memory /sys/fs/cgroup/pids /root /home /box .. ../in ../.."
).split()
KERNEL = (
    "/proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/kernel/modprobe /proc/sys/vm/drop_caches "
    "/proc/sys/fs/binfmt_misc/register /proc/sys/kernel/ns_last_pid /proc/sysrq-trigger /sys/kernel/uevent_helper "
    "/sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/memory/cgroup.procs /sys/fs/cgroup/release_agent /sys/power/state "
    "/proc/self/oom_score_adj /proc/self/oom_adj /proc/self/uid_map /proc/self/gid_map /proc/self/setgroups "
    "/proc/self/timerslack_ns /proc/self/loginuid /proc/self/attr/current /proc/self/clear_refs "
    "/proc/self/coredump_filter /proc/self/comm /proc/self/mem /proc/self/make-it-fail /proc/self/autogroup "
    "/proc/self/sched /proc/1/oom_score_adj /proc/1/mem /proc/sys/kernel/yama/ptrace_scope"
).split()


def write(path, flags=os.O_WRONLY):
    fd = os.open(path, flags)
    try:
        os.pwrite(fd, b"", 0)
    finally:
        os.close(fd)


def make_file(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))


for path in FILES:
    attempt(f"open {path} for writing", write, path)
    attempt(f"append to {path}", write, path, os.O_WRONLY | os.O_APPEND)
    attempt(f"truncate {path} on opening", os.open, path, os.O_RDONLY | os.O_TRUNC)
    attempt(f"truncate {path}", os.truncate, path, 0)
    attempt(f"link {path}", os.link, path, path + MARK)
    attempt(f"rename {path}", os.rename, path, path + MARK)
    attempt(f"replace {path}", os.replace, __file__, path)
    attempt(f"unlink {path}", os.unlink, path)
for directory in DIRECTORIES:
    if os.path.realpath(directory) == os.getcwd():  # /tmp is its own
        continue
    name = f"{directory}/{MARK}"
    attempt(f"file in {directory}", make_file, name)
    attempt(f"directory in {directory}", os.mkdir, name + "d")
    attempt(f"link in {directory}", os.symlink, "/etc/passwd", name + "l")
    attempt(f"nameless file in {directory}", os.open, directory, os.O_TMPFILE | os.O_RDWR, 0o600)
    attempt(f"remove {directory}", os.rmdir, directory)
    for path in (name, name + "l"):  # nothing stays of what worked
        with suppress(OSError):
            os.unlink(path)
    with suppress(OSError):
        os.rmdir(name + "d")
for path in KERNEL:
    attempt(path, write, path)
held("done")
