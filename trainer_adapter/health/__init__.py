"""Watches the health of a training run: symptoms, warnings, a report."""
