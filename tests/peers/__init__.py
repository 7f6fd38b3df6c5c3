"""Agreement with other simulators."""
