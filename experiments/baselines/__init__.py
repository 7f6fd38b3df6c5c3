"""Methods of the papers as dense numpy code, to compare with."""
