"""Methods of integration, one folder each, behind one small interface."""
