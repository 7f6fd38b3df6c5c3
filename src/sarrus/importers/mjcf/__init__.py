"""MJCF robots into mechanisms, through MuJoCo's own compiler."""
