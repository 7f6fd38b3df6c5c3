"""A run as one web page that plays offline."""
