import os, socket, subprocess, sys

c = dict(line.rstrip("\n").split(" ", 1) for line in sys.stdin)


def attempt(what, call):
    try:
        print("ESCAPED", what, call(), flush=True)
    except Exception as error:
        print("HELD", what, type(error).__name__, flush=True)


def trace():
    import ctypes

    assert ctypes.CDLL(None).ptrace(16, int(c["pid"]), None, None) == 0


attempt("file", lambda: open(c["file"]).read())
attempt("answer", lambda: open(c["answer"]).read())
attempt("environment", lambda: os.environ[c["env"]])
attempt("write", lambda: open(f"{c['world']}/{c['mark']}", "w").write("x"))
attempt("process", lambda: subprocess.check_output(["echo", "x"]))
attempt("shell", lambda: 1 / (os.system("true") == 0))
attempt("connect", lambda: socket.create_connection(("127.0.0.1", int(c["tcp"])), 2))
attempt("signal", lambda: os.kill(int(c["pid"]), 0))
attempt("trace", trace)
