"""Where things are: joint errors, row vectors, coordinates, gaps.  Functions of a configuration, compiled;
they know no length of a step."""
