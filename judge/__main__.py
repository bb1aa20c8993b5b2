"""Runs the command line: `python -m judge`."""

from judge.cli import process

raise SystemExit(process())
