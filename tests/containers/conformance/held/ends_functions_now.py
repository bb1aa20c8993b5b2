import atexit


class Told:
    def __del__(self):
        print("gone")


atexit.register(print, "called")
atexit._run_exitfuncs()
print("goes on")
told = Told()
