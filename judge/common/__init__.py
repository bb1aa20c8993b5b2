"""Holds what every part of the judge may import: its models, errors, settings, and text for people."""
