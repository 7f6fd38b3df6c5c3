"""Peers on scenes with contact, where they are installed."""

from __future__ import annotations

from importlib.util import find_spec


def contact_peer(mech, dt: float, state=None, control=None):
    """The scene in MuJoCo, or None where MuJoCo is not installed."""
    if find_spec("mujoco") is None:
        return None
    from benchmarks.contact_peer import MujocoContactPeer

    return MujocoContactPeer(mech, dt, state, control)


def contact_run(mech, dt: float, steps: int):
    """Its run in MuJoCo with default settings, or None where MuJoCo is not installed."""
    peer = contact_peer(mech, dt)
    return None if peer is None else peer.run(steps)
