"""From the judgements of completions to the numbers that a trainer learns from."""
