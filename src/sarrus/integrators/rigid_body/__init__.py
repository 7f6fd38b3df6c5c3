"""One free rigid body: the trapezoidal Lie-Newmark and the symplectic Cayley integrator of [Kob14]."""
