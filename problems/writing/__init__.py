"""Writes packages: of a `Problem`, and new ones."""
