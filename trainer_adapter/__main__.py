"""Runs the command line `judge-train`: `python -m trainer_adapter`."""

import sys

from trainer_adapter.commands.main import process

sys.exit(process())
