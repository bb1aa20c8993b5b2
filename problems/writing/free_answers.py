"""Decides whether an output is right where several are: `RULE` says in which way it may differ from the answer.

    order         after `head` lines that are the answer's, lines in any order (`lines`), the tokens of each line in any
                  order (`tokens`), and each as often as one likes (`sets`)
    certificate   the first `head` tokens are the answer's; what follows may be anything that has all `properties`

Called as an output validator of the ICPC package format is: program input answer feedback_dir < output. Exit code 42:
accepted, 43: refused.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

RULE: Mapping[str, Any] = {}

#: A longer number is no index and no sum.
MOST_DIGITS = 18
Words = list[bytes]


class Certificate:
    """What follows the head of an output, and what it can be compared with."""

    def __init__(self, given: bytes, words: Words, answer: Words, head: Words) -> None:
        self.words, self.answer, self.head = words, answer, head
        self.given = [line.split() for line in given.splitlines() if line.split()]
        self.numbers = read_integers(words)
        self.count = next(iter(read_integers(self.given[0][:1]) or ()), -1) if self.given else -1

    def pick(self, words: Words) -> list[bytes] | None:
        """The entries of the input's list that the words point at, from 1; None: one of them does not."""
        entries = max(self.given[1:], key=len, default=[])
        places = read_integers(words)
        if places is None or len(entries) != self.count or not all(1 <= place <= len(entries) for place in places):
            return None
        return [entries[place - 1] for place in places]

    def list_edges(self) -> set[frozenset[bytes]]:
        return {frozenset(line[:2]) for line in self.given[1:] if len(line) > 1}


def read_integers(words: Words) -> list[int] | None:
    """The words as integers; None: one of them is none."""
    if not all(len(word) <= MOST_DIGITS and word.removeprefix(b"-").isdigit() for word in words):
        return None
    return list(map(int, words))


def has_same_sum(some: Words | None, others: Words | None) -> bool:
    ours, theirs = (None if words is None else read_integers(words) for words in (some, others))
    return ours is not None and theirs is not None and sum(ours) == sum(theirs)


def is_path(one: Certificate) -> bool:
    edges = one.list_edges()
    known = frozenset[bytes]().union(*edges)
    return one.words[0] in known and all(
        frozenset(pair) in edges for pair in zip(one.words, one.words[1:], strict=False)
    )


def is_pairs_of_edges(one: Certificate) -> bool:
    edges = one.list_edges()
    pairs = zip(one.words[::2], one.words[1::2], strict=False)
    return len(one.words) % 2 == 0 and all(frozenset(pair) in edges for pair in pairs)


#: What may be true of every right certificate. None of them says alone that one is right.
PROPERTIES: Mapping[str, Callable[[Certificate], bool]] = {
    "as many words as the answer": lambda one: len(one.words) == len(one.answer),
    "as many words as the head says": lambda one: read_integers(one.head[-1:]) == [len(one.words)],
    "integers": lambda one: one.numbers is not None,
    "no word twice": lambda one: len(set(one.words)) == len(one.words),
    "indices from 1": lambda one: one.numbers is not None and all(1 <= each <= one.count for each in one.numbers),
    "indices from 0": lambda one: one.numbers is not None and all(0 <= each < one.count for each in one.numbers),
    "the answer's words": lambda one: Counter(one.words) == Counter(one.answer),
    "the answer's letters": lambda one: Counter(b"".join(one.words)) == Counter(b"".join(one.answer)),
    "words of the input": lambda one: Counter(one.words) <= Counter(word for line in one.given for word in line),
    "the answer's sum": lambda one: has_same_sum(one.words, one.answer),
    "the answer's sum of picked entries": lambda one: has_same_sum(one.pick(one.words), one.pick(one.answer)),
    "rising": lambda one: one.numbers is not None and one.numbers == sorted(one.numbers),
    "a path of the input's edges": is_path,
    "edges of the input": is_pairs_of_edges,
}


def accepts(rule: Mapping[str, Any], given: bytes, output: bytes, answer: bytes) -> bool:
    """Whether the output is right for the input `given`."""
    if rule["fold"]:
        output, answer = output.lower(), answer.lower()
    if rule["kind"] == "order":
        return reorder(rule, output) == reorder(rule, answer)
    words, expected, head = output.split(), answer.split(), rule["head"]
    if words[:head] != expected[:head] or bool(words[head:]) is not bool(expected[head:]):
        return False
    certificate = Certificate(given, words[head:], expected[head:], expected[:head])
    return not expected[head:] or all(PROPERTIES[name](certificate) for name in rule["properties"])


def reorder(rule: Mapping[str, Any], text: bytes) -> tuple[list[Words], list[Words]]:
    """The same for all texts that differ only in what the rule leaves free."""
    lines = [line.split() for line in text.splitlines() if line.split()]
    head, rest = lines[: rule["head"]], lines[rule["head"] :]
    if rule["tokens"]:
        rest = [sorted(set(line) if rule["sets"] else line) for line in rest]
    if rule["lines"]:
        rest = sorted(map(list, set(map(tuple, rest)))) if rule["sets"] else sorted(rest)
    return head, rest


def main() -> None:
    given, answer = (Path(path).read_bytes() for path in sys.argv[1:3])
    right = accepts(RULE, given, sys.stdin.buffer.read(), answer)
    if not right:
        (Path(sys.argv[3]) / "judgemessage.txt").write_text("the output is not right in the way that the rule allows\n")
    sys.exit(42 if right else 43)


if __name__ == "__main__":
    main()
