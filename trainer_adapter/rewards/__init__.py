"""Turns judgements of completions into the numbers that a trainer learns from."""
