"""Puts a time limit into a package, and leaves everything else as it stands: comments, order, line ends."""

from __future__ import annotations

from pathlib import Path

import yaml

from problems.files.tree import TIME_LIMIT, Tree
from problems.model import SECOND_NS, Problem
from problems.reading import legacy
from problems.reading.package import read_metadata
from problems.writing.recipes import child


def set_time_limit(problem: Problem, cpu_ns: int) -> Path:
    """Write the limit into problem.yaml; for packages of version `legacy`, which has none there, into .timelimit.
    Returns the file.

    Raises:
        ProblemError: it cannot be written there.
    """
    tree = Tree(problem.directory, str(problem.directory))
    shown = f"{cpu_ns / SECOND_NS:.9f}".rstrip("0").rstrip(".")
    path = tree.root / "problem.yaml"
    text = tree.read_text(path)
    if problem.format == "legacy" and "time_limit" not in text:
        if "timelimit" in legacy.read_domjudge_ini(tree):
            raise tree.error(
                tree.root / "domjudge-problem.ini", "states the time limit", f"write timelimit={shown} there"
            )
        path, made = tree.root / TIME_LIMIT, f"{shown}\n"
    else:
        made = _edit(tree, path, text, shown)
    partial = path.with_name(f"{path.name}.partial")
    before = path.read_bytes() if path.is_file() else None
    try:
        mark = b"\xef\xbb\xbf" if before is not None and before.startswith(b"\xef\xbb\xbf") else b""
        partial.write_bytes(mark + made.encode())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise tree.error(path, f"cannot be written: {error.strerror}", "check its permissions") from error
    if read_metadata(tree).limits.cpu_ns != cpu_ns:
        _restore(path, before)
        raise tree.error(path, "does not take the time limit", f"write limits.time_limit: {shown} by hand")
    return path


def _restore(path: Path, before: bytes | None) -> None:
    if before is None:
        path.unlink()
    else:
        path.write_bytes(before)


def _edit(tree: Tree, path: Path, text: str, shown: str) -> str:
    """The text with another `limits.time_limit`. The package was read, so the text is sound YAML."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise tree.error(path, "is no list of `key: value` lines", f"write limits.time_limit: {shown} by hand")
    end = "\r\n" if "\r\n" in text else "\n"
    limits = child(root, "limits")
    if limits is None or (isinstance(limits, yaml.ScalarNode) and not limits.value):
        if limits is not None:  # a key without a value
            at = limits.start_mark.index
            return f"{text[:at]}{end}  time_limit: {shown}{text[at:]}"
        gap = "" if text.endswith("\n") or not text else end
        return f"{text}{gap}limits:{end}  time_limit: {shown}{end}"
    known = child(limits, "time_limit")
    if known is not None:
        return text[: known.start_mark.index] + shown + text[known.end_mark.index :]
    if not isinstance(limits, yaml.MappingNode):
        raise tree.error(path, "limits is no map", f"write limits.time_limit: {shown} by hand")
    if limits.flow_style:
        at = limits.start_mark.index + 1
        return f"{text[:at]}time_limit: {shown}{', ' if limits.value else ''}{text[at:]}"
    first = limits.value[0][0].start_mark
    return f"{text[: first.index]}time_limit: {shown}{end}{' ' * first.column}{text[first.index :]}"
