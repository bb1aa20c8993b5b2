import time
a = time.process_time()
print(0 <= a < 5, time.thread_time() <= time.process_time(), time.perf_counter() > 0)
import resource
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)
