"""Solvers: blocks and rows in, numbers out.  They know neither bodies nor steps."""
