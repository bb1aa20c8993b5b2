# Tries: connects to sockets of this machine, by path and by abstract name
# Control: yes
import socket

from attack import attempt, canary


def connect(address):
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(1)
        one.connect(address)


attempt("by path", connect, canary("unix"))
attempt("by abstract name", connect, "\0" + canary("abstract"))
