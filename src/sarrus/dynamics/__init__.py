"""One physical term per file: residual, Jacobian, equation reference.  Compiled functions on arrays and
scalars."""
