"""Figures of [JM09]."""
