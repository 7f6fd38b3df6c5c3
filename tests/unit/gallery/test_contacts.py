"""The gallery of contacts as it starts: nothing overlaps, what rests touches, references hold."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from tests.unit.gallery.mobility import rotation

from sarrus import gallery
from sarrus.gallery.contacts import TOUCH
from sarrus.mechanism import Box, Capsule, ConvexMesh, Cylinder, HalfSpace, Sphere

ROUNDING = 1e-12  # of a gap [m]: coordinates of a few metres
ON_THE_GROUND = [
    "sliding_block",
    "tippe_top",
    "box_stack",
    "pyramid",
    "dominoes",
    "arch",
    "woodpecker",
    "brick_wall",
    "card_house",
    "gripper",
    "quadruped",
    "humanoid",
]
ABOVE_IT = [("box_drop", 0.4), ("box_toss", 0.5), ("bouncing_ball", 1.0), ("sphere_chain", 0.1)]


def ball_points(shape):
    """Points (N, 3) of the shape's frame and a radius: the shape is the hull of the balls around them."""
    if isinstance(shape, Sphere):
        return np.zeros((1, 3)), shape.radius
    if isinstance(shape, Capsule):
        return np.array([[0, 0, s * shape.length / 2] for s in (-1, 1)]), shape.radius
    if isinstance(shape, Box):
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return signs * shape.size / 2, 0.0
    assert isinstance(shape, ConvexMesh)
    return shape.points, 0.0


def placed(body, shape):
    """Points (N, 3) in the world and radius of a shape of a body."""
    points, radius = ball_points(shape)
    own = points @ rotation(shape.orientation).T + shape.at
    return own @ rotation(body.orientation).T + body.position, radius


def gaps(mech):
    """Distance [m] of every body with colliding shapes from the nearest half space."""
    planes = [obstacle.shape for obstacle in mech.obstacles.values()]
    assert all(isinstance(plane, HalfSpace) for plane in planes)
    found = {}
    for body in mech.bodies.values():
        for shape in body.shapes:
            if shape.collide:
                points, radius = placed(body, shape)
                gap = min(np.min((points - p.at) @ p.normal) - radius for p in planes)
                found[body.name] = min(gap, found.get(body.name, np.inf))
    return found


@pytest.mark.parametrize("name", ON_THE_GROUND)
def test_what_starts_on_the_ground_touches_it_and_nothing_is_below(name):
    found = gaps(gallery.make(name))
    assert min(found.values()) == pytest.approx(TOUCH, abs=ROUNDING)


@pytest.mark.parametrize(("name", "height"), ABOVE_IT)
def test_what_falls_starts_at_the_height_told(name, height):
    assert min(gaps(gallery.make(name)).values()) == pytest.approx(height, abs=ROUNDING)
    assert min(gaps(gallery.make(name, height=0.7)).values()) == pytest.approx(0.7, abs=ROUNDING)


def test_every_maker_of_contacts_has_shapes_that_meet_something():
    for name in [
        *ON_THE_GROUND,
        *(name for name, _ in ABOVE_IT),
        "newton_cradle",
        "heap",
        "hand",
        "ring_chain",
    ]:
        mech = gallery.make(name)
        assert mech.obstacles or mech.contacts
        assert any(shape.collide for body in mech.bodies.values() for shape in body.shapes)


def test_a_tossed_box_depends_on_the_seed_alone():
    one, same, other = (gallery.box_toss(seed).bodies["box"] for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.orientation, same.orientation)
    np.testing.assert_array_equal(one.velocity, same.velocity)
    assert not np.allclose(one.angular_velocity, other.angular_velocity)


@pytest.mark.parametrize("slope", [0.0, 0.3, -0.4])
def test_a_sliding_block_lies_flat_and_moves_along_the_ground(slope):
    mech = gallery.sliding_block(speed=2.0, direction=0.7, slope=slope)
    block, normal = mech.bodies["block"], mech.obstacles["ground"].shape.normal
    points, _ = placed(block, block.shapes[0])
    heights = np.sort(points @ normal)
    np.testing.assert_allclose(heights[:4], TOUCH, atol=ROUNDING)
    assert block.velocity @ normal == pytest.approx(0.0, abs=ROUNDING)
    assert np.linalg.norm(block.velocity) == pytest.approx(2.0, abs=ROUNDING)
    assert np.arctan2(normal[0], normal[2]) == pytest.approx(slope, abs=ROUNDING)


@pytest.mark.parametrize("tilt", [0.0, np.pi / 6, -np.pi / 6])
def test_the_spheres_of_a_chain_touch_at_their_joints(tilt):
    mech = gallery.sphere_chain(n=6, tilt=tilt)
    for joint in mech.joints.values():
        for name in (joint.parent, joint.child):
            assert np.linalg.norm(mech.bodies[name].position - joint.at) == pytest.approx(0.25, abs=ROUNDING)
    first, last = mech.bodies["sphere 1"].position, mech.bodies["sphere 6"].position
    assert last[2] - first[2] == pytest.approx(2.5 * np.sin(tilt), abs=ROUNDING)
    assert min(gaps(mech).values()) == pytest.approx(0.1, abs=ROUNDING)


def test_the_energy_of_the_tilted_chain_is_that_of_the_study():
    mech = gallery.sphere_chain(n=10, tilt=np.pi / 6)
    energy = sum(9.81 * body.position[2] for body in mech.bodies.values())
    assert energy == pytest.approx(9.81 * 14.75, abs=ROUNDING * 10)


def test_the_balls_of_the_cradle_hang_with_their_gaps_and_the_lifted_ones_too():
    mech = gallery.newton_cradle(n=5, lifted=2, gap=1e-4)
    at = np.array([body.position for body in mech.bodies.values()])
    between = np.linalg.norm(np.diff(at, axis=0), axis=1) - 0.1
    np.testing.assert_allclose(between[[0, 2, 3]], 1e-4, atol=ROUNDING)
    assert between[1] > 0.2
    assert at[0, 1] < 0 < at[0, 2]
    assert list(mech.contacts) == [(f"ball {i}", f"ball {i + 1}") for i in range(1, 5)]


def test_the_boxes_of_a_stack_touch_and_grow_heavier_by_equal_steps():
    mech = gallery.box_stack(n=4, ratio=1000.0, shift=0.05)
    masses = [body.mass for body in mech.bodies.values()]
    np.testing.assert_allclose(masses, [1.0, 10.0, 100.0, 1000.0], rtol=1e-12)
    at = np.array([body.position for body in mech.bodies.values()])
    np.testing.assert_allclose(np.diff(at[:, 2]) - 0.5, TOUCH, atol=ROUNDING)
    np.testing.assert_allclose(at[:, 0], [0, 0.05, 0, 0.05], atol=ROUNDING)
    assert len(mech.contacts) == 6
    assert not gallery.box_stack(n=1).contacts


def test_the_pushed_domino_turns_about_its_lower_edge_and_has_the_energy_to_fall():
    domino = gallery.dominoes().bodies["domino 1"]
    edge = np.array([0.0, 0.015, -0.1])
    np.testing.assert_allclose(
        domino.velocity + np.cross(domino.angular_velocity, edge), np.zeros(3), atol=ROUNDING
    )
    kinetic = 0.5 * domino.mass * domino.velocity @ domino.velocity
    kinetic += 0.5 * domino.angular_velocity @ domino.inertia @ domino.angular_velocity
    assert kinetic > domino.mass * 9.81 * (np.hypot(0.1, 0.015) - 0.1)


def test_a_tippe_top_meets_the_conditions_to_turn_over():
    """Jellett's integral R (1 - a) J3 spin exceeds the threshold of the reference."""
    top = gallery.tippe_top(tilt=0.0).bodies["top"]
    (J1, _, J3), m, R, a = np.diag(top.inertia), top.mass, 0.02, 0.3
    assert 1 - a < J1 / J3 < 1
    threshold = np.sqrt(m * 9.81 * R**3 * J3 * a) * (1 + a) ** 2 / np.sqrt(1 + a - J1 / J3)
    lowest = threshold / (R * (1 - a) * J3)
    assert lowest == pytest.approx(77, abs=0.5)
    assert top.angular_velocity[2] > lowest
    assert top.position[2] == pytest.approx(R * (1 - a) + TOUCH, abs=ROUNDING)


@pytest.mark.parametrize("n", [3, 9, 10])
def test_the_stones_of_an_arch_leave_the_same_gap_everywhere(n):
    mech = gallery.arch(n=n)
    stones = list(mech.bodies.values())
    for i, (a, b) in enumerate(pairwise(stones)):
        angle = np.pi * (i + 1) / n
        ahead = np.array([-np.sin(angle), 0.0, np.cos(angle)])
        end = np.max(placed(a, a.shapes[0])[0] @ ahead)
        start = np.min(placed(b, b.shapes[0])[0] @ ahead)
        assert start - end == pytest.approx(TOUCH, abs=ROUNDING)
    assert gaps(mech)["stone 1"] == pytest.approx(TOUCH, abs=ROUNDING)
    assert gaps(mech)[f"stone {n}"] == pytest.approx(TOUCH, abs=ROUNDING)
    ring = 2000 * 0.4 * (1.15**2 - 0.85**2) * n / 2 * np.sin(np.pi / n)
    assert sum(stone.mass for stone in stones) == pytest.approx(ring, rel=10 * TOUCH)


def stands(mech, mu):
    """Whether forces inside the friction cones at the edges of the joints can balance the weights, in the
    plane."""
    from scipy.optimize import linprog

    stones = list(mech.bodies.values())
    n = len(stones)
    equations = np.zeros((3 * n, 8 * (n + 1)))  # joint j: inner and outer edge, two edges of the cone each
    for j in range(n + 1):
        angle = np.pi * j / n
        out = np.array([np.cos(angle), np.sin(angle)])
        ahead = np.array([-np.sin(angle), np.cos(angle)])
        column = 8 * j
        for radius in (0.85, 1.15):
            for side in (-mu, mu):
                force, point = ahead + side * out, radius * out
                for stone, sign in ((j, 1), (j - 1, -1)):
                    if 0 <= stone < n:
                        arm = point - stones[stone].position[[0, 2]]
                        torque = arm[0] * force[1] - arm[1] * force[0]
                        equations[3 * stone : 3 * stone + 3, column] = sign * np.array([*force, torque])
                column += 1
    weights = np.concatenate([(0.0, 9.81 * stone.mass, 0.0) for stone in stones])
    used = np.any(equations != 0.0, axis=0)
    return linprog(np.zeros(used.sum()), A_eq=equations[:, used], b_eq=weights, method="highs").status == 0


def test_the_arch_can_carry_itself_and_could_not_with_little_friction():
    assert stands(gallery.arch(), 0.7)
    assert stands(gallery.arch(n=10), 0.7)
    assert not stands(gallery.arch(), 0.2)


def test_all_pairs_of_a_tower_an_arch_and_of_dominoes_may_meet():
    for mech in (gallery.box_stack(n=5), gallery.arch(n=5), gallery.dominoes(n=5)):
        assert len(mech.contacts) == len(list(combinations(mech.bodies, 2)))


def test_the_bird_and_the_sleeve_meet_the_pole_with_their_own_restitution():
    mech = gallery.woodpecker(e=0.4)
    assert {name: pole.restitution for name, pole in mech.obstacles.items()} == {
        "pole": 0.0,
        "pole at the beak": 0.4,
    }
    assert mech.exclusions == {frozenset(("pole", "bird")), frozenset(("pole at the beak", "sleeve"))}


def test_the_spring_of_the_woodpecker_is_at_rest_where_bird_and_sleeve_have_the_same_angle():
    mech = gallery.woodpecker()
    angle = {
        name: 2 * np.arctan2(-body.orientation[2], body.orientation[0]) for name, body in mech.bodies.items()
    }
    assert mech.joint_springs["spring"].rest[0] == pytest.approx(
        angle["sleeve"] - angle["bird"], abs=ROUNDING
    )
    assert angle["sleeve"] == pytest.approx(-0.1007, abs=1e-4)


def shortest_distances(mech, most):
    """Gaps [m] below `most` of all colliding shapes of different bodies that no joint connects, by convex
    programming on the balls that span them; for shapes of points and a radius."""
    from scipy.optimize import minimize

    tied = {frozenset((joint.parent, joint.child)) for joint in mech.joints.values()}
    parts = [
        (name, *placed(body, shape))
        for name, body in mech.bodies.items()
        for shape in body.shapes
        if shape.collide
    ]
    found = []
    for (a, p, r), (b, q, s) in combinations(parts, 2):
        apart = np.linalg.norm(p.mean(axis=0) - q.mean(axis=0))
        reach = sum(np.linalg.norm(x - x.mean(axis=0), axis=1).max() for x in (p, q)) + r + s
        if a == b or frozenset((a, b)) in tied or apart - reach > most:
            continue
        points, scale = np.vstack([p, -q]), apart
        n, m = len(p), len(q)
        weights = np.r_[np.full(n, 1 / n), np.full(m, 1 / m)]
        ones = np.zeros((2, n + m))
        ones[0, :n] = ones[1, n:] = 1.0
        done = minimize(
            lambda w, A=points / scale: np.sum((w @ A) ** 2),
            weights,
            jac=lambda w, A=points / scale: 2 * A @ (w @ A),
            bounds=[(0, 1)] * (n + m),
            constraints={"type": "eq", "fun": lambda w, E=ones: E @ w - 1, "jac": lambda w, E=ones: E},
            method="SLSQP",
            options={"ftol": 1e-16, "maxiter": 200},
        )
        found.append(((a, b), scale * np.sqrt(done.fun) - r - s))
    return found


SEARCHED = 1e-8  # of a distance by convex programming: the square root of what its stop leaves


@pytest.mark.parametrize(
    ("name", "parameters", "touching"),
    [
        ("brick_wall", {"rows": 3, "columns": 2, "speed": 0.0}, 6),
        ("card_house", {}, 7),
        ("ring_chain", {"n": 4, "angle": 1.1}, 3),
        ("ring_chain", {"n": 2, "segments": 12, "thickness": 0.02}, 1),
        ("hand", {}, 1),
        ("hand", {"object": "box", "size": 0.05}, 1),
        ("gripper", {}, 0),
        ("humanoid", {}, 0),
    ],
)
def test_bodies_start_apart_and_those_that_carry_each_other_touch(name, parameters, touching):
    mech = gallery.make(name, **parameters)
    found = shortest_distances(mech, 1e-3)
    assert all(gap > 0.5 * TOUCH for _, gap in found)
    close = {pair for pair, gap in found if gap < TOUCH + SEARCHED}
    assert len(close) == touching


def test_the_rings_of_a_chain_hang_in_each_other():
    """The middle line of each passes once through the disc of the next."""
    mech = gallery.ring_chain(n=4, angle=0.9)
    for a, b in pairwise(mech.bodies.values()):
        line = np.array([placed(a, shape)[0].mean(axis=0) for shape in a.shapes])
        own = (line - b.position) @ rotation(b.orientation)
        through = 0
        for p, q in zip(own, np.roll(own, -1, axis=0), strict=True):
            if p[1] * q[1] < 0:
                crossing = p + (q - p) * p[1] / (p[1] - q[1])
                through += np.linalg.norm(crossing) < 0.04 * np.cos(np.pi / 8)
        assert through == 1


@pytest.mark.parametrize("n", [5, 50, 200])
def test_the_bodies_of_a_heap_start_in_balls_that_do_not_meet(n):
    mech = gallery.heap(n=n, seed=2, size=0.5)
    at = np.array([body.position for body in mech.bodies.values()])
    assert at[:, 2].min() > 0.25
    distances = np.linalg.norm(at[:, None] - at[None], axis=-1)[np.triu_indices(n, 1)]
    assert distances.min() > 0.5 - 2 * 0.05
    for body in mech.bodies.values():
        (shape,) = body.shapes
        if isinstance(shape, Cylinder):
            reach = np.hypot(shape.radius, shape.length / 2)
        else:
            points, radius = ball_points(shape)
            reach = np.linalg.norm(points, axis=1).max() + radius
        assert 0.05 < reach <= 0.25 + ROUNDING
    again, other = (gallery.heap(n=n, seed=seed, size=0.5) for seed in (2, 3))
    np.testing.assert_array_equal(at, [body.position for body in again.bodies.values()])
    assert not np.allclose(at, [body.position for body in other.bodies.values()])


def test_the_ball_is_thrown_at_the_wall_and_left_out_without_speed():
    ball = gallery.brick_wall(rows=4).bodies["ball"]
    np.testing.assert_array_equal(ball.velocity, [0.0, 8.0, 0.0])
    assert ball.position[2] == pytest.approx(0.16)
    assert "ball" not in gallery.brick_wall(speed=0.0).bodies


def test_the_keyframes_of_hand_and_gripper_name_targets_for_all_their_motors():
    for name, keyframe in (("hand", "closed"), ("hand", "fist"), ("gripper", "lift")):
        mech = gallery.make(name)
        assert list(mech.keyframes[keyframe].inputs) == list(mech.motors)
