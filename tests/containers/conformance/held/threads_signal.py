import os
import signal
import threading

got = []
main = threading.main_thread()
signal.signal(signal.SIGUSR1, lambda number, frame: got.append((number, threading.current_thread() is main)))
other = threading.Thread(target=lambda: signal.pthread_kill(main.ident, signal.SIGUSR1))
other.start()
other.join()
print(got)
os.kill(os.getpid(), signal.SIGUSR1)
signal.raise_signal(signal.SIGUSR1)
print(got)
signal.signal(signal.SIGALRM, lambda number, frame: print("alarm", number))
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
while True:
    pass
