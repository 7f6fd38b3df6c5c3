"""Figures of [LT20]."""
