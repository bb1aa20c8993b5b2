"""What a run shows of its own health: symptoms, warnings, a page to read."""
