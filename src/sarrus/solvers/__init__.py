"""Linear solvers on the mechanism graph: numbers in, numbers out."""
