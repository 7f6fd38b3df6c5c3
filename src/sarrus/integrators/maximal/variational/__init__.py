"""The variational integrator in maximal coordinates: symplectic, momentum-preserving, constraints exact at
every node."""

from sarrus.integrators.maximal.variational.method import Variational

__all__ = ["Variational"]
