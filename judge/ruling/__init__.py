"""Turns the facts of a run into a verdict, and verdicts into a score. Pure functions."""
