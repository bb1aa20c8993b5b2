"""Readers of the formats of contest systems, a module each: DMOJ, Lemon, CMS, TPS, omegaUp, sinol."""
