# Tries: reads environment, memory map, memory, descriptors, root and directory of every other process in /proc
# Control: yes
# Limits: cpu=5s wall=30s
import os

from attack import canary, escaped, find_canary, held, refused

NAME, MARKER = canary("env").encode(), canary("secret-marker").encode()
OWN = {str(os.getpid()), "self", "thread-self"}


def numbers():
    try:
        listed = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError as error:
        refused(error, "list /proc")
        listed = []
    known = [find_canary("neighbour"), find_canary("pid"), str(os.getppid()), "1"]
    return [name for name in dict.fromkeys(known + listed[-50:]) if name not in OWN]


def look(path, size=1 << 16):
    with open(path, "rb", buffering=0) as file:
        return file.read(size)


refusals = 0
for number in numbers():
    for name in ("environ", "cmdline", "maps", "auxv", "stack", "syscall", "io", "smaps", "mountinfo", "fd", "root", "cwd"):
        path = f"/proc/{number}/{name}"
        try:
            if name in ("fd", "root", "cwd"):
                found = [os.readlink(f"{path}/{entry}") for entry in os.listdir(path)] if name == "fd" else os.listdir(path)
                if name != "fd" and set(found) <= set(os.listdir("/")) | set(os.listdir(".")):
                    continue
                escaped(f"{path}: {found[:5]}")
                continue
            text = look(path)
        except OSError:
            refusals += 1
            continue
        if NAME in text or MARKER in text:
            escaped(f"{path}: {text[max(0, text.find(NAME)):][:120]!r}")
        elif name in ("maps", "stack", "syscall", "auxv") and text and number != "1":
            escaped(f"{path}: {text[:60]!r}")
held(f"{refusals} reads were refused")
