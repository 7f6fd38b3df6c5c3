"""References to compare the engine with: written from the papers, dense, slow, independent of the kernels."""
