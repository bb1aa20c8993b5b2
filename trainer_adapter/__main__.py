"""Runs the command line `judge-train`: `python -m trainer_adapter`."""

import sys

from trainer_adapter.commands.main import process

if __name__ == "__main__":  # processes that sample import it
    sys.exit(process())
