"""Functions for other trainers than TRL: a module for each, which imports nothing of it (docs/trainers.md)."""
