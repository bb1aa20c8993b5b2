"""Makes judged rollouts: samples completions of a model, and judges them while others are still sampled."""
