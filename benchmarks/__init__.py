"""Benchmarks of Sarrus against MuJoCo and Pinocchio: `python -m benchmarks`."""
