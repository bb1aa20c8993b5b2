"""Chooses from files of judged rollouts: problems to train on, programs to imitate, pairs to prefer; and takes out rows
that stand in a benchmark. Memory grows with the number of rows, not with the length of their texts."""
