"""All that a program can learn of how it was started."""

import os
import sys

modules = sorted(sys.modules)
names = sorted(globals())

import gc
import locale
import resource
import signal
import threading

print(modules, names, sep="\n")
print(__name__, __file__, __spec__, __package__, __doc__, __annotations__, type(__loader__), type(__builtins__))
print(sys.argv, sys.orig_argv, sys.path, sys.flags, sys._xoptions, sys.warnoptions, sep="\n")
print(sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix, sys.platlibdir, sys.dont_write_bytecode)
print(sorted(sys.path_importer_cache), [type(hook) for hook in sys.path_hooks], sys.meta_path)
print(sys.getrecursionlimit(), sys._getframe().f_back, sys.getswitchinterval(), sys.gettrace(), sys.getprofile())
print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), locale.getlocale())
print(gc.isenabled(), gc.get_threshold(), gc.garbage, gc.callbacks, gc.is_tracked(globals()))
for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(stream.name, stream.mode, stream.encoding, stream.errors, stream.newlines, stream.line_buffering)
    print(stream.write_through, stream.isatty(), stream.seekable(), stream.readable(), stream.writable(), stream.closed)
    print(type(stream), type(stream.buffer), type(stream.buffer.raw), stream.buffer.raw, stream.buffer.raw.closefd)
    print(stream is {"<stdin>": sys.__stdin__, "<stdout>": sys.__stdout__, "<stderr>": sys.__stderr__}[stream.name])
print(sys.stdin.tell(), sys.stdin.buffer.raw._blksize)
work = os.getcwd()
print(os.listdir(), os.listdir("../in"), os.path.basename(work), os.umask(0o022), os.ctermid())
print({name: value.replace(work, "WORK") for name, value in sorted(os.environ.items())})
print(os.getuid() == os.geteuid(), os.getgid() == os.getegid(), os.getgroups(), os.getpid() == os.getpgid(0) == os.getsid(0))
print(os.nice(0), os.sched_getscheduler(0), os.sched_getaffinity(0), os.get_blocking(0), os.get_inheritable(0))
print({name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT")})
print({int(number): str(signal.getsignal(number)) for number in signal.valid_signals()})
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending(), signal.getitimer(signal.ITIMER_REAL))
print(threading.active_count(), threading.main_thread().native_id == os.getpid() == threading.get_native_id())
print(threading.current_thread() is threading.main_thread(), threading.stack_size())
print(os.times().children_user, os.wait3 is not None, sys.getallocatedblocks() > 1000)
print([number for number in range(100) if os.path.exists(f"/dev/fd/{number}")])
