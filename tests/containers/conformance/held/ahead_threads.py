import threading


def work():
    import string
    from random import Random

    done.append(string.digits + str(Random(3).random()))


done = []
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(done)
