"""Judges one submission on one problem: the engine, and what it prepares and remembers."""
