"""One GRPO run: its configuration, adapter, checkpoints and surroundings. TRL trains, PEFT adapts."""
