"""Judged rollouts as JSON Lines: made, evaluated, filtered, selected and paired."""
