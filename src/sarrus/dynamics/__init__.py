"""What acts: inertia, gravity, springs, motors, the users' forces, momenta and velocities at a node.
Functions of a configuration and of velocities, compiled; they know no length of a step."""
