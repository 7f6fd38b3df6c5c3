"""Figures and tables of [Mal25]."""
