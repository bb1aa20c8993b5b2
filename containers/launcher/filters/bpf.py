"""Classic BPF, as seccomp takes it, and the assembler: blocks of instructions, one for each range of call numbers,
become a program that finds its block by a binary search. The kernel copies, checks, emulates and compiles a program for
every run, and a linear one of 300 calls costs as much as the run itself: so there is no instruction too many."""

from __future__ import annotations

import errno
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# linux/bpf_common.h
LOAD_WORD, RETURN, JUMP = 0x20, 0x06, 0x05
JUMP_EQUAL, JUMP_LEAST, JUMP_ANY = 0x15, 0x35, 0x45
AND, XOR, SHIFT_RIGHT = 0x54, 0xA4, 0x74
# linux/seccomp.h: answers, and where struct seccomp_data has the call's number, the machine and the arguments.
RET_KILL, RET_ERRNO, RET_NOTIFY, RET_TRACE, RET_ALLOW = 0x80000000, 0x00050000, 0x7FC00000, 0x7FF00000, 0x7FFF0000
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
#: As far as a conditional jump reaches; an unconditional one reaches anywhere.
_REACH = 255


class Instruction(NamedTuple):
    code: int
    #: How many instructions a conditional jump passes over, if it holds and if not.
    yes: int
    no: int
    value: int
    #: It compares with the number of the program's own process, which is put in for each run.
    own: bool = False

    def pack(self) -> bytes:
        """struct sock_filter."""
        return struct.pack("=HBBI", self.code, self.yes, self.no, self.value)


#: What is done with a call, in the order in which it is carried out. It ends with an answer on every way.
Block = tuple[Instruction, ...]


def load(offset: int) -> Instruction:
    return Instruction(LOAD_WORD, 0, 0, offset)


def load_argument(number: int, *, high: bool = False) -> Instruction:
    """Half an argument; both machines are little-endian."""
    return load(ARGUMENTS_AT + 8 * number + 4 * high)


def if_equal(value: int, yes: int, no: int) -> Instruction:
    return Instruction(JUMP_EQUAL, yes, no, value)


def if_any(bits: int, yes: int, no: int) -> Instruction:
    return Instruction(JUMP_ANY, yes, no, bits)


def keep(bits: int) -> Instruction:
    """Of the word that was loaded."""
    return Instruction(AND, 0, 0, bits & 0xFFFFFFFF)


def answer(value: int) -> Instruction:
    return Instruction(RETURN, 0, 0, value)


def fail(error: int) -> Instruction:
    """0: as if it had been done."""
    return answer(RET_ERRNO | error)


ALLOW = answer(RET_ALLOW)
#: The stub's listener decides.
NOTIFY = answer(RET_NOTIFY)
IF_OWN = Instruction(JUMP_EQUAL, 0, 1, 0, own=True)


def one_of(argument: int, values: Sequence[int], error: int) -> Block:
    """Allowed if the low half of an argument is one of these."""
    tests = (if_equal(value, len(values) - i, 0) for i, value in enumerate(values))
    return (load_argument(argument), *tests, fail(error), ALLOW)


class _Writer:
    """The program while it is written, from its end: jumps lead forward, so all that they lead to is known. A place is
    its distance from the end."""

    def __init__(self) -> None:
        self._backwards: list[Instruction] = []
        self._blocks: dict[Block, int] = {}  # where each was written last

    def put(self, *instructions: Instruction) -> int:
        self._backwards += reversed(instructions)
        return len(self._backwards)

    def put_tree(self, ranges: Sequence[tuple[int, Block]]) -> int:
        """A search tree: its right half if the number is not below the first one there. Returns its place."""
        if len(ranges) == 1:
            return self._put_block(ranges[0][1])
        half = len(ranges) // 2
        right, left = self.put_tree(ranges[half:]), self.put_tree(ranges[:half])
        right = self._within_reach(right, 1)
        left = self._within_reach(left, 0)
        here = len(self._backwards)
        return self.put(Instruction(JUMP_LEAST, here - right, here - left, ranges[half][0]))

    def _put_block(self, block: Block) -> int:
        entry = self._blocks.get(block)
        if entry is None or len(self._backwards) - entry >= _REACH:
            self._blocks[block] = entry = self.put(*block)
        return entry

    def _within_reach(self, place: int, ahead: int) -> int:
        """Where a conditional jump, which is written next but `ahead` instructions, can go on to, for what is there."""
        distance = len(self._backwards) - place
        return place if distance + ahead <= _REACH else self.put(Instruction(JUMP, 0, 0, distance))

    def write(self) -> Block:
        return tuple(reversed(self._backwards))


def assemble(blocks: Mapping[int, Block], other: Block, architecture: int) -> Block:
    """The program that does with each call number what its block says, and with all others what `other` says.

    Another instruction set, e.g. 32-bit, has other numbers: there nothing is known, nor of x32, whose numbers (bit 30)
    are above all of ours."""
    ranges: list[tuple[int, Block]] = [(0, other)]
    for number in sorted(blocks):
        for first, block in ((number, blocks[number]), (number + 1, other)):
            if ranges[-1][0] == first:
                ranges.pop()
            if not ranges or ranges[-1][1] != block:
                ranges.append((first, block))
    writer = _Writer()
    tree = writer.put_tree(ranges)
    head = (load(ARCHITECTURE_AT), if_equal(architecture, 1, 0), fail(errno.ENOSYS), load(NUMBER_AT))
    place = writer.put(*head)
    if place - len(head) != tree:  # a block that is used twice is the whole tree: there is but one range
        raise AssertionError("the program does not begin with its search tree")
    return writer.write()
