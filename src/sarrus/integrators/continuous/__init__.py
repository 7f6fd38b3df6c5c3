"""Continuous dynamics in joint coordinates with explicit integrators: references and baselines."""
