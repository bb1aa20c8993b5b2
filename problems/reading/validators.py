"""Finds what checks the data of a package: its input validators, and the data that tests the validators.

input_validators/NAME, input_validators/NAME/     programs; each must accept each input
data/invalid_input/*.in                           one of them must refuse it
data/invalid_output/*.in .ans .out                the checker must refuse the output
data/valid_output/*.in .ans .out                  the checker must accept it
"""

from __future__ import annotations

from pathlib import Path

from problems.files.entry import source_suffixes
from problems.files.tree import Tree
from problems.model import InputTrial, OutputTrial, Program
from problems.reading.grouping import GroupSettings, read_case_settings, read_settings, root_settings
from problems.reading.metadata import Metadata
from problems.reading.programs import build_program, is_template
from problems.reading.testdata import MakeChecker

_PLACES = ("input_validators", "input_format_validators")


def read_input_validators(tree: Tree, metadata: Metadata) -> tuple[Program, ...]:
    """The input validators that can be run, by name."""
    return tuple(build_program(tree, metadata, sources) for sources, well in _find_sources(tree) if well)


def left_out(tree: Tree) -> list[Path]:
    """The input validators that cannot be run: Checktestdata and Viva, say, are no languages of submissions."""
    return [sources[0] for sources, well in _find_sources(tree) if not well]


def _find_sources(tree: Tree) -> list[tuple[tuple[Path, ...], bool]]:
    """The sources of each input validator, and whether it can be run."""
    found = []
    for place in _PLACES:
        files, directories = tree.entries(tree.root / place)
        files = [file for file in files if file.suffix != ".md" and not file.name.startswith("README")]
        files = [file for file in files if not is_template(file)]
        shared = [file for file in files if file.suffix in {".h", ".hpp"}]
        found += [(file, *shared) for file in files if file not in shared]
        found += [tuple(sources) for directory in directories if (sources := tree.walk(directory))]
    return [(sources, _runnable(sources)) for sources in found]


def _runnable(sources: tuple[Path, ...]) -> bool:
    return any(source.suffix in source_suffixes() or source.name in ("build", "run") for source in sources)


def read_input_trials(tree: Tree, metadata: Metadata) -> tuple[InputTrial, ...]:
    return tuple(
        InputTrial(input=path, input_validator_args=_settings(tree, metadata, path).input_validator_args)
        for path in tree.walk(tree.root / "data/invalid_input")
        if path.suffix == ".in"
    )


def read_output_trials(tree: Tree, metadata: Metadata, make_checker: MakeChecker) -> tuple[OutputTrial, ...]:
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
            settings = _settings(tree, metadata, output)
            trial = OutputTrial(
                input=output.with_suffix(".in"),
                answer=output.with_suffix(".ans"),
                output=output,
                accepted=accepted,
                checker=make_checker(settings.validator_args, settings.source or output),
                input_validator_args=settings.input_validator_args,
            )
            trials.append(trial)
    return tuple(trials)


def _settings(tree: Tree, metadata: Metadata, path: Path) -> GroupSettings:
    """What the file's directory and its own NAME.yaml state."""
    settings = read_settings(tree, metadata, path.parent, root_settings(metadata))
    own = path.with_suffix(".yaml")
    return read_case_settings(tree, own, settings)[0] if own.is_file() else settings
