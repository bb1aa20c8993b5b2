# Takes letters of process 0 for each number, shuffles them, and hands them to process 1, which must name the number.
# Arguments: input, answer, feedback directory, then for each process the pipes from it and to it.
import random
import sys

MOST = 16


def end(code, message):
    with open(sys.argv[3] + "judgemessage.txt", "w") as file:
        file.write(message)
    sys.exit(code)


def numbers(line, count, what):
    words = line.split()
    if len(line) > 200 or len(words) != count or not all(word.isascii() and word.isdigit() for word in words):
        end(43, f"{what}: {line[:40]!r}")
    return [int(word) for word in words]


with open(sys.argv[1]) as file:
    seed, *rows = map(int, file.read().split())
shuffle = random.Random(seed).shuffle
sender, receiver = (open(path, errors="replace") for path in sys.argv[4::2])
to_sender, to_receiver = (open(path, "w") for path in sys.argv[5::2])
for at, x in enumerate(rows[1:], 1):
    if at == 1:
        for one in (to_sender, to_receiver):
            print(rows[0], file=one, flush=True)
    print(x, file=to_sender, flush=True)
    line = sender.readline(201)
    words = line.split()
    [count] = numbers(words[0] if words else "", 1, f"number {at}: process 0 wrote no number of letters")
    if count > MOST:
        end(43, f"number {at}: {count} letters")
    letters = numbers(line, count + 1, f"number {at}: process 0 wrote not {count} letters")[1:]
    if any(letter > 255 for letter in letters):
        end(43, f"number {at}: a letter is more than 255")
    shuffle(letters)
    print(count, *letters, file=to_receiver, flush=True)
    [found] = numbers(receiver.readline(201), 1, f"number {at}: process 1 wrote no number")
    if found != x:
        end(43, f"number {at}: process 1 found {found} instead of {x}")
end(42, "")
