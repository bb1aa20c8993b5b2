"""Fuzzes what the launcher takes apart, with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.

    python -m tests.fuzz.fuzz [--seconds N] [--count N] [--found DIRECTORY] [--keep DIRECTORY] [--json FILE] [TARGET …]
    python -m tests.fuzz.fuzz --coverage [TARGET …]

Of each target, whichever comes first: so many seconds, or so many executions. --found keeps what reaches new branches,
for the next time; counts are added to those in FILE. A new input that breaks a promise is kept and named. `--coverage`
says which lines the committed corpus reaches.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.seeds import CORPUS
from tests.robustness.tally import Tally

HERE = Path(__file__).parent
SOURCES = HERE.parent.parent / "containers" / "launcher" / "src"
_SANITIZE = ("-g", "-O1", "-fno-sanitize-recover=all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    name: str
    #: Of the launcher's, beside the harness.
    sources: tuple[str, ...]
    largest: int

    @property
    def corpus(self) -> Path:
        return CORPUS / self.name

    def build(self, compiler: str, output: Path, *flags: str) -> Path:
        """Raises CalledProcessError, whose message holds the compiler's."""
        files = (HERE / f"fuzz_{self.name}.c", *(SOURCES / name for name in self.sources))
        subprocess.run((compiler, *_SANITIZE, *flags, f"-I{SOURCES}", *map(str, files), "-o", str(output)), check=True)
        return output


TARGETS = (
    Target(name="request", sources=("request.c",), largest=128 * 1024 + 2),
    Target(name="meter", sources=(), largest=8192),
    Target(name="nameless", sources=(), largest=200_000),
    Target(name="executable", sources=(), largest=8192),
)


def replay(target: Target, scratch: Path, files: Sequence[Path]) -> dict[str, str]:
    """What becomes of each file, with any compiler: {name: "accepted" | "refused"}. Raises CalledProcessError."""
    program = target.build("gcc", scratch / f"replay-{target.name}", "-DREPLAY", "-fsanitize=address,undefined")
    said = subprocess.run((program, *files), check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(zip((file.name for file in files), said.splitlines(), strict=True))


def fuzz(target: Target, scratch: Path, seconds: int, count: int = -1) -> tuple[str, Path | None]:
    """Fuzz for so long, or so often: libFuzzer's last lines, and the input that broke it, if there is one."""
    program = target.build("clang", scratch / f"fuzz-{target.name}", "-fsanitize=fuzzer,address,undefined")
    found = scratch / f"corpus-{target.name}"
    found.mkdir(exist_ok=True)
    command = (
        str(program),
        f"-max_total_time={seconds}",
        f"-runs={count}",
        f"-max_len={target.largest}",
        "-timeout=10",
        "-use_value_profile=1",
        "-print_final_stats=1",
        f"-dict={HERE / 'request.dict'}",
        f"-artifact_prefix={scratch}/",
        str(found),
        str(target.corpus),
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    broken = next((path for kind in ("crash", "timeout", "oom", "leak") for path in scratch.glob(f"{kind}-*")), None)
    if done.returncode != 0 and broken is None:
        raise RuntimeError(f"libFuzzer ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return "\n".join(done.stderr.splitlines()[-40:]), broken


def coverage(target: Target, scratch: Path) -> str:
    """llvm-cov's table for the committed corpus."""
    flags = ("-DREPLAY", "-fprofile-instr-generate", "-fcoverage-mapping", "-fsanitize=address,undefined")
    program = target.build("clang", scratch / f"covered-{target.name}", *flags)
    raw, profile = scratch / "raw", scratch / "profile"
    files = sorted(target.corpus.iterdir())
    subprocess.run((program, *files), check=True, stdout=subprocess.DEVNULL, env={"LLVM_PROFILE_FILE": str(raw)})
    subprocess.run(("llvm-profdata", "merge", "-o", profile, raw), check=True)
    wanted = [str(SOURCES / name) for name in target.sources or (f"{target.name}.c",)]
    command = ("llvm-cov", "report", "-show-functions", str(program), f"-instr-profile={profile}", *wanted)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for each target; 0: as long as --count takes")
    parser.add_argument("--count", type=int, default=-1, help="executions of each target")
    parser.add_argument("--found", type=Path, help="where inputs that reach new branches are kept")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path, default=Path.cwd(), help="where an input that breaks it is put")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("targets", nargs="*", choices=[target.name for target in TARGETS] + [[]], default=[])
    arguments = parser.parse_args()
    failed = False
    tally = Tally(arguments.json)
    with tempfile.TemporaryDirectory() as directory:
        for target in TARGETS:
            if arguments.targets and target.name not in arguments.targets:
                continue
            if arguments.coverage:
                print(coverage(target, Path(directory)))
                continue
            here = Path(directory, f"corpus-{target.name}")
            if arguments.found is not None:
                (arguments.found / target.name).mkdir(parents=True, exist_ok=True)
                here.symlink_to((arguments.found / target.name).resolve())
            said, broken = fuzz(target, Path(directory), arguments.seconds, arguments.count)
            print(f"{target.name}:\n{said}", flush=True)
            executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
            tally.add(
                target.name, {"inputs": int(executions[1]) if executions else 0, "findings": int(broken is not None)}
            )
            if broken is not None:
                print(f"kept: {shutil.copy(broken, arguments.keep)}")
                failed = True
    if not arguments.coverage:
        print(tally.table())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
