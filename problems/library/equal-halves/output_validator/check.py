"""check.py INPUT ANSWER FEEDBACK_DIR < OUTPUT: exit 42 if the split is right, 43 if not. The answer says YES or NO."""

import re
import sys


def end(code, message):
    with open(sys.argv[3] + "judgemessage.txt", "w") as file:
        file.write(message)
    sys.exit(code)


with open(sys.argv[1]) as file:
    n = int(file.read())
with open(sys.argv[2]) as file:
    answer = file.read().split()[0]
words = sys.stdin.buffer.read(16 << 20).split()
if not words or words[0] not in (b"YES", b"NO"):
    end(43, "neither YES nor NO")
if words[0].decode() != answer:
    end(43, f"said {words[0].decode()}, but the answer is {answer}")
if answer == "NO":
    end(42 if len(words) == 1 else 43, "")
if not all(re.fullmatch(rb"[0-9]{1,9}", word) for word in words[1:]):
    end(43, "something is no number")
count, *group = map(int, words[1:]) if len(words) > 1 else [-1]
if count != len(group):
    end(43, f"says {count} numbers, and prints {len(group)}")
if len(set(group)) != count or not all(1 <= one <= n for one in group):
    end(43, "a number is none of the given ones, or is there twice")
if 4 * sum(group) != n * (n + 1):
    end(43, f"the group makes {sum(group)} of {n * (n + 1) // 2}")
end(42, "")
