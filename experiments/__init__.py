"""Figures of the papers, reproduced: one folder per paper, run by `sarrus reproduce`."""
