"""Reads assertions of Python as calls and the values that they must return."""

from __future__ import annotations


class NotHeld(ValueError):
    """No assertion is of a form that can be held. The message says why, in words that are alike for all such tests."""
