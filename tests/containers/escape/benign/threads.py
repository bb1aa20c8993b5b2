# Shows: ThreadPoolExecutor, queue, asyncio, heapq, functools
import asyncio
import functools
import queue
from concurrent.futures import ThreadPoolExecutor

a, b = map(int, input().split())
numbers = queue.Queue()
with ThreadPoolExecutor(16) as pool:
    list(pool.map(numbers.put, (a, b)))


async def total():
    await asyncio.sleep(0)
    return numbers.get() + numbers.get()


try:
    result = asyncio.run(total())
except OSError:  # its loop wants a socket pair
    result = numbers.get() + numbers.get()
print(functools.reduce(max, [result]))
