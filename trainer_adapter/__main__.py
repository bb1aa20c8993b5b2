"""`python -m trainer_adapter`: what `judge-train` does."""

import sys

from trainer_adapter.commands.main import process

sys.exit(process())
