"""The YAML form of a mechanism: read and written."""
