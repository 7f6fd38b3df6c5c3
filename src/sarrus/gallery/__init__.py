"""Ready mechanisms with parameters: `sarrus.gallery.pendulum(links=3)`, or `make("pendulum", links=3)`."""

from sarrus.gallery import graphs
from sarrus.gallery.balls import bouncing_ball, newton_cradle, sphere_chain, tippe_top
from sarrus.gallery.chains import free_chain, pendulum, spherical_pendulum, tree
from sarrus.gallery.contacts import box_drop, box_toss, sliding_block
from sarrus.gallery.exoskeletons import exoskeleton
from sarrus.gallery.figures import large_figure
from sarrus.gallery.gyros import fast_pendulum, gyroscope, rolling_disc, spinning_top, t_handle
from sarrus.gallery.hands import gripper, hand
from sarrus.gallery.heaps import heap
from sarrus.gallery.hoberman import hoberman_sphere
from sarrus.gallery.humanoids import humanoid
from sarrus.gallery.legs import overactuated_legs
from sarrus.gallery.parallel_robots import delta_robot, stewart_platform
from sarrus.gallery.planar_loops import (
    double_four_bar,
    four_bar,
    rhombus_chain,
    slider_crank,
    three_link_loop,
)
from sarrus.gallery.registry import NAMES, Description, describe, make
from sarrus.gallery.rings import ring_chain
from sarrus.gallery.satellites import satellite
from sarrus.gallery.scissors import hoberman_ring, scissor_lift
from sarrus.gallery.spatial_loops import bennett, bricard, door, sarrus
from sarrus.gallery.stacks import arch, box_stack, dominoes, pyramid
from sarrus.gallery.toys import woodpecker
from sarrus.gallery.walkers import quadruped
from sarrus.gallery.walls import brick_wall, card_house

__all__ = [
    "NAMES",
    "Description",
    "arch",
    "bennett",
    "bouncing_ball",
    "box_drop",
    "box_stack",
    "box_toss",
    "bricard",
    "brick_wall",
    "card_house",
    "delta_robot",
    "describe",
    "dominoes",
    "door",
    "double_four_bar",
    "exoskeleton",
    "fast_pendulum",
    "four_bar",
    "free_chain",
    "graphs",
    "gripper",
    "gyroscope",
    "hand",
    "heap",
    "hoberman_ring",
    "hoberman_sphere",
    "humanoid",
    "large_figure",
    "make",
    "newton_cradle",
    "overactuated_legs",
    "pendulum",
    "pyramid",
    "quadruped",
    "rhombus_chain",
    "ring_chain",
    "rolling_disc",
    "sarrus",
    "satellite",
    "scissor_lift",
    "slider_crank",
    "sliding_block",
    "sphere_chain",
    "spherical_pendulum",
    "spinning_top",
    "stewart_platform",
    "t_handle",
    "three_link_loop",
    "tippe_top",
    "tree",
    "woodpecker",
]
