"""Trains models on the judge's verdicts: rewards for TRL's trainers, and a TinyLoRA trainer on TRL and PEFT."""
