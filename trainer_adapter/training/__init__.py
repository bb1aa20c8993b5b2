"""Makes one GRPO run: its configuration, adapter, checkpoints and environment. TRL trains, PEFT adapts."""
