"""Figures of [Kob14]."""
