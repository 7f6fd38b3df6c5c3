"""URDF robots into mechanisms, with their loops."""
