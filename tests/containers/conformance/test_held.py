"""An interpreter that is held and forked for each run is, to the program, one that was executed for it: every program
of held/ runs both ways, with the same result. A line "#: memory 64" in one is its memory limit in MiB."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from containers import File, Outcome, RunLimits, RunSpec, Sandbox, Termination, Unavailable
from containers.launcher import held as held_programs
from containers.launcher.driver import LauncherSandbox
from containers.launcher.plan import HeldProgram
from containers.native import grant
from judge import languages
from judge.languages import ENVIRONMENT
from judge.store.memfd import memfd
from tests.containers.conformance.conftest import MIB, SECOND, TIME_SCALE
from tests.containers.variants import VETTED, granted, open_variant

ROOT = Path(__file__).parents[3]
AHEAD_TEXT = ROOT / "containers/launcher/src/ahead.py"
PROGRAMS = sorted(path for path in (Path(__file__).parent / "held").iterdir() if path.is_file())
LIMITS = RunLimits(cpu_ns=20 * TIME_SCALE * SECOND, wall_ns=60 * TIME_SCALE * SECOND, memory_bytes=256 * MIB)
#: Variants that hold interpreters.
HOLDING = [name for name in granted() if name in ("full", "userns") or name.startswith("restricted")]
HOLDING = [name for name in HOLDING if not name.endswith(VETTED)]
INPUT = b"3 4\nsecond line\n\xff\xfe not text\nlast line without end"


@dataclass(kw_only=True)
class Python:
    """Runs programs in a slot, by executing the interpreter or in one that is held."""

    slot: Sandbox
    argv: tuple[str, ...]
    limits: RunLimits = LIMITS
    files: list[File] = field(default_factory=list)
    collect: tuple[str, ...] = ()

    def __call__(
        self, source: str | bytes, *, held: bool, stdin: bytes = INPUT, limits: RunLimits | None = None
    ) -> Outcome:
        limits = limits or self.limits
        if held:
            self._hold(limits)
        return self._run(source if isinstance(source, bytes) else source.encode(), held, stdin, limits)

    def _run(self, source: bytes, warm: bool, stdin: bytes, limits: RunLimits) -> Outcome:
        files = (File(name="solution.py", content=source), *self.files)
        with memfd("input", stdin) as fd:
            return self.slot.run(
                RunSpec(
                    argv=self.argv,
                    env=ENVIRONMENT,
                    limits=limits,
                    files=files,
                    stdin=fd,
                    collect=self.collect,
                    warm=warm,
                )
            )

    def _hold(self, limits: RunLimits) -> None:
        """As the second run that asks for it does."""
        wanted = self.argv, limits.memory_bytes
        while not any(kind and (kind.argv, kind.stack_bytes) == wanted for kind in self.kinds):
            before = [*self.kinds]
            assert self._run(b"pass", True, b"", limits).exit_code == 0
            assert self._run(b"pass", True, b"", limits).exit_code == 0
            assert [*self.kinds] != before, "the interpreter is not held"  # maybe in the place of another one

    @property
    def kinds(self) -> list[HeldProgram | None]:
        assert isinstance(self.slot, LauncherSandbox)
        return [held for _, held in self.slot._launchers]


_THREAD = """
import os, threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
os.stat("../in/f")
exec(open("../in/f").read())
"""


@pytest.fixture(scope="module")
def slots() -> Iterator[dict[str, Sandbox]]:
    opened: dict[str, Sandbox] = {}
    yield opened
    for slot in opened.values():
        slot.close()


def skip_where_none_is_held(slot: Sandbox) -> None:
    if not slot.holds:
        pytest.skip("inside a chroot that is no mount no interpreter is held")


@pytest.fixture
def slot(tier: str, slots: dict[str, Sandbox]) -> Sandbox:
    """One for all tests: interpreters are held for long."""
    if tier not in slots:
        slots[tier] = open_variant(tier)
    skip_where_none_is_held(slots[tier])
    return slots[tier]


@pytest.fixture
def python(slot: Sandbox) -> Iterator[Python]:
    compiler = str(languages.get("python3").find())
    return Python(slot=slot, argv=(compiler, "-s", "-E", "-B", "../in/solution.py"))


held_tiers = pytest.mark.parametrize("tier", HOLDING)


def facts(outcome: Outcome) -> tuple[object, ...]:
    """But for addresses; and without mounts each launcher has a directory of its own."""
    said = (re.sub(rb"/tmp/judge-slot-\w{8}|0x[0-9a-f]+", b"", text) for text in (outcome.stdout, outcome.stderr))
    return outcome.termination, outcome.exit_code, outcome.signal, *said, outcome.suspicious


@held_tiers
@pytest.mark.parametrize("path", PROGRAMS, ids=[path.name for path in PROGRAMS])
def test_program_cannot_tell(path: Path, python: Python) -> None:
    source = path.read_bytes()
    if match := re.search(rb"#: memory (\d+)", source):
        python.limits = RunLimits(cpu_ns=LIMITS.cpu_ns, wall_ns=LIMITS.wall_ns, memory_bytes=int(match[1]) * MIB)
    python.files.append(File(name="beside.py", content=b"NAME = __name__\n"))
    executed = python(source, held=False)
    assert b"BROKEN" not in executed.stdout, executed
    assert facts(python(source, held=True)) == facts(executed)


_IMPORT = """
import sys
before, directories = set(sys.modules), set(sys.path_importer_cache)
import {name} as it
print(sorted(set(sys.modules) - before), sorted(set(sys.path_importer_cache) - directories))
print(it.__name__, it.__spec__, it.__loader__, it.__package__, sorted(vars(it)))
"""
#: What a held CPython has imported before its first program.
AHEAD = ["bisect", "collections", "copy", "functools", "heapq", "json", "math", "operator", "random", "re", "string"]
AHEAD += ["typing"]
#: Some that those import.
BROUGHT = ["collections.abc", "contextlib", "copyreg", "enum", "itertools", "json.decoder", "types", "warnings"]


@pytest.mark.skipif(not AHEAD_TEXT.exists(), reason="the launcher's source is not part of what is installed")
def test_each_module_that_is_imported_ahead_is_tried() -> None:
    (names,) = re.findall(r"(?ms)^NAMES = \((.*?)\)", AHEAD_TEXT.read_text())
    assert re.findall(r'"(\w+)"', names) == AHEAD


@held_tiers
@pytest.mark.parametrize("name", [*AHEAD, *BROUGHT])
def test_an_import_ahead_leaves_what_an_import_does(python: Python, name: str) -> None:
    source = _IMPORT.format(name=name)
    assert facts(python(source, held=True)) == facts(python(source, held=False))


@held_tiers
@pytest.mark.parametrize("own", ["heapq.py", "keyword.py", "collections/__init__.py"])
def test_a_program_s_own_module_of_such_a_name_is_taken(python: Python, own: str) -> None:
    """Or of the name of one that those import."""
    python.files.append(File(name=own, content=b"print('own')\nkwlist, iskeyword = [], len\n"))
    source = """
import heapq, sys
try:
    import collections
except Exception as error:
    print(error)
print(sys.modules["keyword"])
"""
    executed, brought = python(source, held=False), python("import sys\nprint(*sys.modules)", held=False)
    assert (b"own" in executed.stdout) != (Path(own).parts[0].removesuffix(".py") in brought.stdout.decode().split())
    assert facts(python(source, held=True)) == facts(executed)


@held_tiers
@pytest.mark.parametrize(
    "source",
    [
        "print(1)",
        "data = bytearray(b'x') * (20 << 20)",
        "data = list(range(600_000))",
        "import collections, decimal, heapq, itertools, json, random, re",
    ],
    ids=["trivial", "one large object", "many small objects", "modules"],
)
def test_memory_is_one_figure(python: Python, source: str) -> None:
    python(source, held=True)
    executed = statistics.median(python(source, held=False).usage.memory_bytes for _ in range(5))
    held = statistics.median(python(source, held=True).usage.memory_bytes for _ in range(5))
    ahead = 2 * MIB if "import" in source else 0  # they are there, whether a program asks for them or not
    assert -ahead - 512 * 1024 <= held - executed <= 512 * 1024


@held_tiers
@pytest.mark.parametrize(
    "cut",
    [{"termination": Termination.CANCELLED, "exit_code": None}, {"exit_code": 1}],
    ids=["cancelled", "failed"],
)
def test_a_comparison_that_failed_is_made_again(
    tier: str, cut: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an empty program shows more in what is held was once taken for nothing ever after."""
    with open_variant(tier) as slot:
        skip_where_none_is_held(slot)
        assert isinstance(slot, LauncherSandbox)
        run, python = slot._run, Python(slot=slot, argv=(str(languages.get("python3").find()), "../in/solution.py"))
        python._run(b"pass", True, b"", LIMITS)
        monkeypatch.setattr(held_programs, "_EXECUTED", {})
        monkeypatch.setattr(slot, "_run", lambda launcher, spec: replace(run(launcher, spec), **cut))
        assert python._run(b"pass", True, b"", LIMITS).termination is cut.get("termination", Termination.EXITED)
        monkeypatch.undo()
        assert python._run(b"pass", True, b"", LIMITS).exit_code == 0
        (held,) = [launcher for launcher in slot._launchers.values() if launcher.held]
        assert held.surplus.more_bytes > 0  # 94 to 300 KiB, as pages of files happen to be mapped


@held_tiers
def test_it_is_taken_apart_only_where_that_could_be_told(python: Python) -> None:
    """An audit hook is told of the interpreter's end, and looks whether the modules are still there."""
    look = """
import os, sys
def hook(event, _, write=os.write, modules=sys.modules):
    if event == "cpython.PyInterpreterState_Clear":
        write(1, b"whole" if modules else b"apart")
sys.addaudithook(hook)
"""
    generator = "def f():\n  yield\ng = f(); next(g)"
    assert python(look, held=False).stdout == b"apart"
    for end in ("", "sys.exit()", "sys.exit(3)"):
        assert python(look + end, held=True).stdout == b"whole"
    for noticed in (generator, "import gc", "1 / 0", "sys.exit('x')", "sys.setprofile(print)"):
        assert python(look + noticed, held=True).stdout.endswith(b"apart")


@held_tiers
def test_the_compile_step_says_the_same(python: Python) -> None:
    script = languages.resource(languages.get("python3").compile.script).decode()
    python.argv = (python.argv[0], "-I", "-S", "-c", script, python.argv[-1])
    ends = []
    for source in (
        b"print(1)",
        b"import nothing.there\nprint('\xc3\xa9')",
        b"if 1 is 1: pass",  # a warning
        b"x = 1\nreturn x",
        b"def f():\n  x = (\n",
        b"print('\xff')",
        b"# coding: nothing\n",
        b"x = 1\0",
        b"(" * 1000 + b")" * 1000,
        b"-" * 100_000 + b"1",
    ):
        executed = python(source, held=False)
        assert facts(python(source, held=True)) == facts(executed)
        ends.append((executed.exit_code, bool(executed.stderr)))
    assert ends == [(0, False), (0, False), (0, True), *[(1, True)] * 7]


@held_tiers
def test_time_and_output_limits_hold(python: Python) -> None:
    limits = RunLimits(cpu_ns=SECOND // 5, wall_ns=60 * SECOND, memory_bytes=256 * MIB)
    assert python("while True: pass", held=True, limits=limits).termination is Termination.CPU_LIMIT
    limits = RunLimits(cpu_ns=20 * SECOND, wall_ns=SECOND // 5, memory_bytes=256 * MIB)
    assert python("import time; time.sleep(60)", held=True, limits=limits).termination is Termination.WALL_LIMIT
    limits = RunLimits(cpu_ns=20 * SECOND, wall_ns=60 * SECOND, memory_bytes=256 * MIB, output_bytes=MIB)
    assert python("while True: print('x' * 9999)", held=True, limits=limits).termination is Termination.OUTPUT_LIMIT
    assert python("print(1)", held=True).stdout == b"1\n"


@held_tiers
def test_memory_limit_holds_and_all_of_it_can_be_had(python: Python) -> None:
    limits = RunLimits(cpu_ns=20 * SECOND, wall_ns=60 * SECOND, memory_bytes=64 * MIB)
    outcome = python("x = b'x' * (48 << 20); print(len(x))", held=True, limits=limits)
    assert outcome.stdout == b"%d\n" % (48 << 20), outcome
    assert outcome.usage.memory_bytes > 48 * MIB
    outcome = python("x = []\nwhile True: x.append(b'x' * 100_000)", held=True, limits=limits)
    assert outcome.termination is Termination.MEMORY_LIMIT


@held_tiers
def test_figures_are_of_the_run_alone(python: Python) -> None:
    executed, held = python("pass", held=False), python("pass", held=True)
    assert held.usage.memory_bytes < executed.usage.memory_bytes + 4 * MIB
    large = python("x = b'x' * (100 << 20)", held=True)
    small = python("pass", held=True)
    assert large.usage.memory_bytes > 100 * MIB
    assert small.usage.memory_bytes < executed.usage.memory_bytes + 4 * MIB


@held_tiers
def test_nothing_of_a_run_is_left_for_the_next(python: Python) -> None:
    marks = """
import builtins, os, sys, signal
builtins.left = sys.left = 1
sys.modules["left"] = sys
sys.setrecursionlimit(12345)
os.environ["LEFT"] = "1"
os.umask(0o777)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open("left", "w").close()
"""
    look = """
import builtins, os, sys, signal
print(hasattr(builtins, "left"), hasattr(sys, "left"), "left" in sys.modules, sys.getrecursionlimit())
print("LEFT" in os.environ, os.umask(0), signal.getsignal(signal.SIGTERM), os.listdir())
"""
    before = python(look, held=True).stdout
    assert python(marks, held=True).exit_code == 0
    assert python(look, held=True).stdout == before == python(look, held=False).stdout


@held_tiers
def test_randomness_is_new_in_each_run(python: Python) -> None:
    source = "import os, random, uuid, tempfile; print(random.random(), os.urandom(4), uuid.uuid4(), tempfile.mktemp())"
    seen = {python(source, held=True).stdout for _ in range(3)}
    assert len(seen) == 3


@held_tiers
def test_files_are_collected(python: Python) -> None:
    python.collect = ("out.txt",)
    unclosed = "f = open('out.txt', 'w'); f.write('written')"
    assert python(unclosed, held=True).files == python(unclosed, held=False).files == {"out.txt": b"written"}


_SEARCH = """
halves = {halves}
found = 0
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in list(maps):
        start, end = (int(part, 16) for part in line.split()[0].split("-"))
        if "r" not in line.split()[1] or "[v" in line:
            continue
        memory.seek(start)
        content, at = memory.read(end - start), -1
        while (at := content.find(halves[0], at + 1)) >= 0:
            found += content.startswith(halves[1], at + len(halves[0]))
print(found)
"""


@held_tiers
def test_what_the_launcher_is_told_is_not_the_programs(tier: str, python: Python) -> None:
    """The name of a file that is collected: in a request, and nowhere else."""
    if tier.startswith("restricted"):
        pytest.skip("without /proc it does not know where to look")
    secret = os.urandom(16).hex().encode()
    search = _SEARCH.format(halves=(secret[:12], secret[12:]))
    python.collect = (secret.decode(),)
    assert python(search, held=True).stdout == b"0\n"
    assert int(python(f"kept = {secret!r}\n{search}", held=True).stdout) > 0


@held_tiers
def test_descriptors_are_the_streams_alone(python: Python) -> None:
    look = """
import os
found = []
for fd in range(2000):
    try:
        os.fstat(fd)
        found.append(fd)
    except OSError:
        pass
print(found)
"""
    assert python(look, held=True).stdout == b"[0, 1, 2]\n"


@held_tiers
def test_only_a_held_interpreter_is_forked(python: Python, slot: Sandbox) -> None:
    """Where it would notice, it is executed: another stack limit, arguments or kind of input."""
    python("pass", held=True)
    known = len(python.kinds)
    spec = RunSpec(argv=(*python.argv, "argument"), env=ENVIRONMENT, limits=LIMITS, warm=True)
    source = (File(name="solution.py", content=b"import sys; print(sys.argv[1:], sys.stdin.read())"),)
    for _ in range(3):
        reader, writer = os.pipe()
        os.write(writer, b"piped")
        os.close(writer)
        outcome = slot.run(
            RunSpec(argv=spec.argv, env=spec.env, limits=spec.limits, files=source, stdin=reader, warm=True)
        )
        os.close(reader)
        assert outcome.stdout == b"['argument'] piped\n"
    assert len(python.kinds) == known


@held_tiers
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("/bin/sh", "-c", "echo said; read line < ../in/f; echo $line"), b"said\ncontent\n"),  # it looks otherwise
        (("python", "-X", "importtime", "../in/f"), b"content\n"),  # it has said something already
        (("python", "-c", _THREAD), b"content\n"),  # it has a second thread
    ],
)
def test_an_interpreter_that_cannot_be_held_is_executed(
    python: Python, slot: Sandbox, options: tuple[str, ...], said: bytes
) -> None:
    argv = (python.argv[0] if options[0] == "python" else options[0], *options[1:])
    content = b"content\n" if options[0] == "/bin/sh" else b"print('content')\n"
    python("pass", held=False)  # the slot has a launcher now, also where this test is its first
    known = len(python.kinds)
    for _ in range(3):
        outcome = slot.run(RunSpec(argv=argv, limits=LIMITS, files=(File(name="f", content=content),), warm=True))
        assert outcome.stdout == said, outcome
    assert len(python.kinds) == known


_COMPILES = """
import sys
try:
    compile(open(sys.argv[1]).read(), sys.argv[1], "exec")
except SyntaxError as error:
    print(error.msg, error.text)
"""


@held_tiers
def test_a_file_that_code_makes_it_look_at_is_not_run(python: Python) -> None:
    """The C library opens it to quote its line."""
    asking = replace(python, argv=(python.argv[0], "-c", _COMPILES, "../in/solution.py"))
    source = "print('run')\nx = 1\nreturn x\n"
    assert (
        asking(source, held=False).stdout
        == asking(source, held=True).stdout
        == b"'return' outside function return x\n\n"
    )


_STACK = """
import ctypes, os
library, attributes = ctypes.CDLL(None), ctypes.create_string_buffer(256)
library.pthread_self.restype = ctypes.c_ulong
error = library.pthread_getattr_np(ctypes.c_ulong(library.pthread_self()), attributes)
lowest, size = ctypes.c_size_t(), ctypes.c_size_t()
library.pthread_attr_getstack(attributes, ctypes.byref(lowest), ctypes.byref(size))
os.stat("../in/solution.py")
print(error, round(size.value / 2**20))
"""


@held_tiers
def test_it_is_told_its_stack_while_it_starts(python: Python, tier: str) -> None:
    """The C library asks /proc, which Landlock hides from an interpreter that is executed."""
    asking = replace(python, argv=(python.argv[0], "-c", _STACK))
    told = asking("", held=True).stdout
    assert told == b"0 256\n"
    assert tier.startswith("restricted") or asking("", held=False).stdout == told


@held_tiers
def test_it_is_held_again_when_it_was_killed(python: Python, open_slot: Callable[..., Sandbox]) -> None:
    assert python("import os; os.kill(os.getpid(), 9)", held=True).signal == 9
    assert python("print(2)", held=True).stdout == b"2\n"


_THREE_RUNS = """
import sys
from containers import File, RunLimits, RunSpec, open_sandbox
tell = File(name="solution.py", content=b"import os; print(os.readlink('/proc/self/exe'))")
limits = RunLimits(cpu_ns=None, wall_ns=60_000_000_000, memory_bytes=256 << 20)
spec = RunSpec(argv=(sys.argv[1], "../in/solution.py"), limits=limits, files=(tell,), warm=True)
with open_sandbox("native") as slot:
    for _ in range(3):
        print(slot.run(spec).stdout)
    print(any(held for _, held in slot._launchers))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make a chroot")
def test_inside_a_chroot_it_is_executed_and_knows_no_path_outside(tmp_path: Path) -> None:
    try:
        full = grant("full").isolation
    except Unavailable as error:
        pytest.skip(f"full is not granted here: {error}")
    enter = ("unshare", "--mount", "sh", "-c", 'mount --rbind / "$0" && exec chroot "$0" "$@"', str(tmp_path))
    interpreter = str(languages.get("python3").find())
    ran = subprocess.run(
        (*(enter if "pivot" in full.layers else ()), sys.executable, "-c", _THREE_RUNS, interpreter),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    told = f"{Path(interpreter).resolve()}\n".encode()
    assert ran.stdout.splitlines() == [*[repr(told)] * 3, "False"]
