"""Figures of [MC23]."""
