"""Which Landlock rules a slot gets, by the version that its kernel knows."""

from __future__ import annotations

import pytest

from containers.launcher import landlock
from containers.launcher.landlock import make_ruleset, of_file
from containers.launcher.wire import ViewKind

VIEW = [
    (ViewKind.HOME, "/tmp/slot/run", "/tmp/slot/run"),
    (ViewKind.BIND, "/usr", "/usr"),
    (ViewKind.LIST, "/opt", "/opt"),
    (ViewKind.DEVICE, "/dev/null", "/dev/null"),
    (ViewKind.SYMLINK, "usr/bin", "/bin"),
    (ViewKind.MASK, "", "/usr/secret"),
]
READ, LIST = 0b1101, 0b1000
#: By version: what it knows of writing (all but READ), of the network, of scopes; and its size.
VERSIONS = {
    1: (0x1FFF, 0, 0, 8),
    2: (0x3FFF, 0, 0, 8),
    3: (0x7FFF, 0, 0, 8),
    4: (0x7FFF, 3, 0, 16),
    5: (0xFFFF, 3, 0, 16),
    6: (0xFFFF, 3, 3, 24),
    7: (0xFFFF, 3, 3, 24),
}


@pytest.mark.parametrize("abi", VERSIONS)
def test_without_mounts_the_view_is_a_list_of_rules(abi: int) -> None:
    files, network, scoped, known_bytes = VERSIONS[abi]
    found = make_ruleset(abi, VIEW, mounts=False)
    assert (found.handled, found.known_bytes) == ((files, network, scoped), known_bytes)
    to_devices = 0b0110 | (1 << 14 if abi >= 3 else 0)
    assert dict(found.rules) == {"/tmp/slot/run": files, "/usr": READ, "/opt": LIST, "/dev/null": to_devices}


@pytest.mark.parametrize("abi", VERSIONS)
def test_with_mounts_only_what_is_outside_the_working_directory_is_closed(abi: int) -> None:
    files, network, scoped, known_bytes = VERSIONS[abi]
    found = make_ruleset(abi, VIEW, mounts=True)
    assert (found.handled, found.known_bytes) == ((files & ~READ, network, scoped), known_bytes)
    assert dict(found.rules) == {"/box": files & ~READ, "/dev": 0b0010 | (1 << 14 if abi >= 3 else 0)}


def test_a_kernel_without_it_has_no_rules() -> None:
    assert make_ruleset(0, VIEW, mounts=True) == landlock.NONE


def test_a_file_has_no_rights_of_directories() -> None:
    assert of_file(0xFFFF) == 0b0111 | 1 << 14 | 1 << 15
