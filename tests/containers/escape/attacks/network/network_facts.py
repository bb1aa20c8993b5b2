# Tries: learns the machine's network without a socket: interfaces, addresses, routes, open connections
# Control: yes
# Limits: cpu=5s wall=30s
import os

from attack import canary, escaped, find_canary, held, refused

PORTS = [f":{int(canary(name)):04X} " for name in ("tcp", "udp")]
for name in "tcp udp tcp6 udp6 raw unix netlink packet dev route arp if_inet6 fib_trie igmp wireless sockstat snmp".split():
    for top in ("/proc/net", "/proc/self/net", "/proc/thread-self/net", f"/proc/{canary('pid')}/net", "/proc/1/net"):
        try:
            with open(f"{top}/{name}") as file:
                text = file.read()
        except OSError as error:
            refused(error, f"{top}/{name}")
            continue
        # An empty network has lo alone, and nothing on it.
        others = [line.split(":")[0].strip() for line in text.splitlines()[2:]] if name == "dev" else []
        found = [port for port in PORTS if port in text] + [other for other in others if other != "lo"]
        if canary("unix") in text or canary("abstract") in text:
            found.append("the judge's sockets")
        if found:
            escaped(f"{top}/{name} shows {found}")
for path in ("/sys/class/net", "/sys/devices/virtual/net", "/proc/sys/net/ipv4", "/etc/network", "/etc/netplan", "/run/netns"):
    if path.startswith("/proc/") and find_canary("sentry"):
        continue  # of gVisor's own network
    try:
        escaped(f"{path} lists {os.listdir(path)[:3]}")
    except OSError as error:
        refused(error, path)
held("done")
