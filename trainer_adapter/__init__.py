"""From completions to gradients: rewards for TRL's trainers, and the TinyLoRA trainer on TRL and PEFT."""
