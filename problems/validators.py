"""Finds what checks the data of a package: its input validators, and the data that tests the validators.

input_validators/NAME, input_validators/NAME/     programs; each must accept each input
data/invalid_input/*.in                           one of them must refuse it
data/invalid_output/*.in .ans .out                the checker must refuse the output
data/valid_output/*.in .ans .out                  the checker must accept it
"""

from __future__ import annotations

from pathlib import Path

from problems.metadata import Metadata
from problems.model import OutputTrial, Program
from problems.programs import COMPILABLE, build_program
from problems.tree import Tree

_PLACES = ("input_validators", "input_format_validators")


def read_input_validators(tree: Tree, metadata: Metadata) -> tuple[Program, ...]:
    """The input validators that can be run, by name."""
    return tuple(build_program(tree, metadata, sources) for sources, well in _found(tree) if well)


def left_out(tree: Tree) -> list[Path]:
    """The input validators that cannot be run: build scripts, and languages that no validator of ours is written in."""
    return [sources[0] for sources, well in _found(tree) if not well]


def _found(tree: Tree) -> list[tuple[tuple[Path, ...], bool]]:
    """The sources of each input validator, and whether it can be run."""
    found = []
    for place in _PLACES:
        files, directories = tree.entries(tree.root / place)
        files = [file for file in files if file.suffix != ".md" and not file.name.startswith("README")]
        shared = [file for file in files if file.suffix in {".h", ".hpp"}]
        found += [(file, *shared) for file in files if file not in shared]
        found += [tuple(sources) for directory in directories if (sources := tree.walk(directory))]
    return [(sources, _runnable(sources)) for sources in found]


def _runnable(sources: tuple[Path, ...]) -> bool:
    scripts = any(source.name in {"build", "run"} for source in sources)
    return not scripts and any(source.suffix in COMPILABLE for source in sources)


def read_invalid_inputs(tree: Tree) -> tuple[Path, ...]:
    return tuple(path for path in tree.walk(tree.root / "data/invalid_input") if path.suffix == ".in")


def read_output_trials(tree: Tree) -> tuple[OutputTrial, ...]:
    """
    Raises:
        ProblemError: one of its three files is missing.
    """
    trials = []
    for name, accepted in (("invalid_output", False), ("valid_output", True)):
        for output in tree.walk(tree.root / "data" / name):
            if output.suffix != ".out":
                continue
            for suffix in (".in", ".ans"):
                if not output.with_suffix(suffix).is_file():
                    raise tree.error(output, f"has no {suffix} file beside it", f"add {output.stem}{suffix}")
            input_, answer = output.with_suffix(".in"), output.with_suffix(".ans")
            trials.append(OutputTrial(input=input_, answer=answer, output=output, accepted=accepted))
    return tuple(trials)
