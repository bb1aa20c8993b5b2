"""What texts hold: constants, samples, and prose where data should be."""
