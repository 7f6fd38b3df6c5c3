"""Files in and out: MJCF, URDF with loops, and the YAML form of a mechanism."""
