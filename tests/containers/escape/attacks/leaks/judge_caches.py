# Tries: finds the judge: its cache of compiled programs, its problems, other slots' directories, its compilers' temporary files
# Control: no, what it looks for lies in the private directories of whoever judges
# Limits: cpu=5s wall=30s
import glob
import os

from attack import escaped, held

PLACES = (
    "/root/.cache/judge /home/*/.cache/judge ~/.cache/judge /var/cache/judge /tmp/judge* /var/tmp/judge* /run/judge* "
    "/tmp/judge-slot-*/run/in /tmp/judge-slot-*/run/work /tmp/cc?????? /tmp/*.o /tmp/pytest-of-* /dev/shm/* "
    "/sys/fs/cgroup/judge* /sys/fs/cgroup/memory/judge*"
).split()
seen = 0
for place in PLACES:
    for path in glob.glob(os.path.expanduser(place)):
        seen += 1
        try:
            found = os.listdir(path) if os.path.isdir(path) else [open(path, "rb").read(64)]
        except OSError:
            continue
        if not os.path.realpath(path).startswith(os.getcwd()):
            escaped(f"{path}: {found[:3]}")
# Where nothing is mounted, the own directory's siblings would be the other slots'.
for above in ("../..", "../../..", "../../../.."):
    try:
        names = [name for name in os.listdir(above) if name.startswith("judge-")]
    except OSError:
        continue
    if names:
        escaped(f"{above} lists {names[:3]}")
held(f"{seen} places gave nothing")
