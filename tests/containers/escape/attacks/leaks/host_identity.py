# Tries: finds out which machine this is and who uses it: identities, accounts, hardware, neighbours, mounts of the host
# Control: yes
# Limits: cpu=5s wall=30s
import os
import socket

from attack import canary, escaped, find_canary, held, refused

FILES = (
    "/etc/machine-id /etc/hostname /etc/hosts /etc/resolv.conf /etc/shadow /etc/ssh/sshd_config /etc/fstab "
    "/var/lib/dbus/machine-id /proc/sys/kernel/random/boot_id /proc/cmdline /proc/version /proc/cpuinfo /proc/meminfo "
    "/proc/uptime /proc/loadavg /proc/stat /proc/mounts /proc/partitions /proc/1/mountinfo /proc/1/cgroup "
    "/proc/sys/kernel/hostname /sys/class/dmi/id/product_uuid /sys/class/net/eth0/address /sys/devices/system/cpu/online "
    "/.dockerenv /run/systemd/container /root/.ssh/id_rsa /root/.bash_history /var/run/docker.sock /run/utmp"
).split()
OWN = ("/proc/mounts", "/proc/self/mountinfo", "/proc/self/mounts", "/proc/self/cgroup", "/etc/passwd")
# gVisor's kernel tells of itself, and by its number of the container that the slot has.
SENTRY = find_canary("sentry") is not None
for path in FILES:
    if path in OWN or (SENTRY and path.startswith("/proc/")):
        continue
    try:
        with open(path, "rb") as file:
            escaped(f"{path}: {file.read(40)!r}")
    except OSError as error:
        refused(error, path)
# What tells of the own run may be read, but names nothing of the host's.
for path in OWN:
    try:
        with open(path) as file:
            text = file.read()
    except OSError as error:
        refused(error, path)
        continue
    names = [name for name in ("/home", "/root", "judge-canary", os.path.dirname(canary("file"))) if name in text]
    if path == "/etc/passwd" and len(text.splitlines()) > 2:
        names = text.splitlines()
    paths = [line.rpartition("/")[2] for line in text.splitlines()]
    if path.endswith("cgroup") and any(paths) and not (SENTRY and len(set(paths)) == 1 and len(paths[0]) == 64):
        names = text.splitlines()
    if names:
        escaped(f"{path} names {names[:3]}")
    else:
        held(f"{path} names nothing of the host's")
try:
    socket.getaddrinfo(socket.gethostname(), 1)
    escaped("the host's address")
except OSError as error:
    refused(error, "the host's address")
