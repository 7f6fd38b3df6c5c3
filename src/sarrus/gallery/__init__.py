"""Ready mechanisms with parameters: `sarrus.gallery.pendulum(links=3)`, or `make("pendulum", links=3)`."""

from sarrus.gallery import graphs
from sarrus.gallery.chains import free_chain, pendulum, spherical_pendulum, tree
from sarrus.gallery.gyros import gyroscope, rolling_disc, spinning_top, t_handle
from sarrus.gallery.planar_loops import (
    double_four_bar,
    four_bar,
    rhombus_chain,
    slider_crank,
    three_link_loop,
)
from sarrus.gallery.registry import NAMES, Description, describe, make
from sarrus.gallery.scissors import hoberman_ring, scissor_lift
from sarrus.gallery.spatial_loops import bennett, bricard, door, sarrus

__all__ = [
    "NAMES",
    "Description",
    "bennett",
    "bricard",
    "describe",
    "door",
    "double_four_bar",
    "four_bar",
    "free_chain",
    "graphs",
    "gyroscope",
    "hoberman_ring",
    "make",
    "pendulum",
    "rhombus_chain",
    "rolling_disc",
    "sarrus",
    "scissor_lift",
    "slider_crank",
    "spherical_pendulum",
    "spinning_top",
    "t_handle",
    "three_link_loop",
    "tree",
]
