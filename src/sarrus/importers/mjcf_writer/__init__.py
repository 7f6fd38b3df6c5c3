"""Mechanisms as MJCF files."""
