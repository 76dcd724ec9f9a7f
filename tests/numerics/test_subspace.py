"""Subspace identification: known systems come back, short and poor data neither fail nor explode, clips stay apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori.errors import OptionError
from komadori.numerics import subspace
from komadori.numerics.subspace import StateSpace


def system(order: int, inputs: int, outputs: int, seed: int, radius: float = 0.9) -> StateSpace:
    random = np.random.default_rng(seed)
    a = random.normal(size=(order, order))
    a *= radius / max(np.abs(np.linalg.eigvals(a)).max(), 1e-9)
    return StateSpace(
        a,
        random.normal(size=(order, inputs)),
        random.normal(size=(outputs, order)),
        random.normal(size=(outputs, inputs)),
    )


def recordings(truth: StateSpace, lengths: tuple[int, ...], seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    random = np.random.default_rng(seed)
    u = [random.normal(size=(length, truth.D.shape[1])) for length in lengths]
    return u, [truth.simulated(x, random.normal(size=truth.order)) for x in u]


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (8, 4), (24, 36)], ids=str)
@pytest.mark.parametrize("order", [1, 2, 3, 5, 8, 12])
def test_a_known_system_comes_back(order: int, size: tuple[int, int]) -> None:
    truth = system(order, *size, seed=order)
    u, y = recordings(truth, (900, 500), seed=7)
    found = subspace.n4sid(u, y, order)
    wanted = truth.markov(30)
    assert np.abs(found.markov(30) - wanted).max() < 1e-6 * np.abs(wanted).max()
    assert subspace.n4sid(u, y).order == order


def test_the_state_in_which_each_clip_began_comes_back() -> None:
    truth = system(3, 2, 4, seed=1)
    u, y = recordings(truth, (300, 200), seed=2)
    found = subspace.identified(u, y, 3)
    for x, want, start in zip(u, y, found.starts, strict=True):
        assert np.allclose(found.system.simulated(x, start), want, atol=1e-6)


def test_noise_costs_no_more_than_the_noise() -> None:
    truth = system(4, 3, 3, seed=5)
    u, y = recordings(truth, (2000,), seed=6)
    noisy = [y[0] + 0.05 * np.random.default_rng(8).normal(size=y[0].shape)]
    found = subspace.n4sid(u, noisy, 4)
    assert np.abs(found.markov(20) - truth.markov(20)).max() < 0.05


def test_no_worse_than_nfoursid_with_noise() -> None:
    peer = pytest.importorskip("nfoursid.nfoursid", reason="nfoursid is an extra of the bench")
    pandas = pytest.importorskip("pandas")
    ours, theirs = [], []
    for seed in range(5):
        truth = system(3, 2, 2, seed=seed)
        u, y = recordings(truth, (600,), seed=seed)
        noisy = y[0] + 0.1 * np.random.default_rng(1000 + seed).normal(size=y[0].shape)
        frame = pandas.DataFrame(np.hstack([u[0], noisy]), columns=["u0", "u1", "y0", "y1"])
        other = peer.NFourSID(frame, output_columns=["y0", "y1"], input_columns=["u0", "u1"], num_block_rows=10)
        other.subspace_identification()
        state, _ = other.system_identification(rank=3)
        theirs.append(np.abs(StateSpace(state.a, state.b, state.c, state.d).markov(20) - truth.markov(20)).max())
        ours.append(np.abs(subspace.n4sid(u, noisy[None], 3).markov(20) - truth.markov(20)).max())
    assert np.mean(ours) <= np.mean(theirs)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(8, 80),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(1, 8),
    st.integers(0, 3),
    st.integers(0, 2**32 - 1),
)
def test_short_and_poor_data_never_explode(
    frames: int, inputs: int, outputs: int, order: int, rank: int, seed: int
) -> None:
    """Sines of one frequency in a few directions, as walks are: rank deficient, far expected a clip of at least 4 frames."""
    random = np.random.default_rng(seed)
    wave = np.stack([f(0.3 * np.arange(frames)) for f in (np.sin, np.cos)] + [np.ones(frames)], axis=1)[:, :rank]
    u, y = wave @ random.normal(size=(rank, inputs)), wave @ random.normal(size=(rank, outputs))
    for ridge in (0.0, 0.1):
        found = subspace.n4sid(u, y, order, ridge=ridge)
        assert found.radius < 1.0
        assert np.isfinite(found.simulated(np.tile(u, (20, 1)))).all()


def test_an_unstable_truth_still_gives_a_stable_model() -> None:
    grows = StateSpace(np.array([[1.02]]), np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 1)))
    u = np.random.default_rng(0).normal(size=(150, 1))
    assert subspace.n4sid(u, grows.simulated(u), 1).radius < 1.0


def test_how_long_a_system_remembers_can_be_bounded() -> None:
    truth = system(4, 2, 2, seed=5, radius=0.98)
    u, y = recordings(truth, (400,), seed=6)
    assert subspace.n4sid(u, y, 4).radius == pytest.approx(0.98, abs=1e-3)
    short = subspace.n4sid(u, y, 4, radius=0.8)
    assert short.radius <= 0.8 + 1e-9
    assert np.isfinite(short.simulated(u[0])).all()
    with pytest.raises(OptionError, match="radius: expected a number between 0 and 1"):
        subspace.n4sid(u, y, 4, radius=1.0)


def test_windows_never_cross_clips() -> None:
    """Two halves that do not follow on each other teach the truth; glued together they do not."""
    truth = system(2, 1, 1, seed=3)
    u, y = recordings(truth, (60,) * 8, seed=4)
    apart = subspace.n4sid(u, y, 2)
    glued = subspace.n4sid(np.concatenate(u), np.concatenate(y), 2)
    wanted = truth.markov(20)
    assert np.abs(apart.markov(20) - wanted).max() < 1e-8
    assert np.abs(glued.markov(20) - wanted).max() > 1e-3


def test_an_impulse_response_is_found_and_realised() -> None:
    truth = system(2, 2, 3, seed=9, radius=0.5)
    u = np.random.default_rng(1).normal(size=(4000, 2))
    found = subspace.impulse_response(u, truth.simulated(u), 20, 1e-9)
    assert np.abs(found - truth.markov(21)).max() < 1e-2
    exact = truth.markov(40)
    made = subspace.realised(exact, tolerance=1e-9)
    assert np.abs(made.markov(40) - exact).max() < 1e-6
    assert made.radius < 1.0


def test_without_memory_it_is_ridge_regression() -> None:
    random = np.random.default_rng(2)
    u, weights = random.normal(size=(50, 3)), random.normal(size=(2, 3))
    found = subspace.ridge_static(u, u @ weights.T, 0.0)
    assert np.allclose(found.D, weights, atol=1e-6)
    assert found.order == 0
    assert found.radius == 0.0
    damped = subspace.ridge_static(u, u @ weights.T, 1.0)
    assert np.linalg.norm(damped.D) < 0.7 * np.linalg.norm(weights)


def test_steady_and_periodic_states() -> None:
    truth = system(4, 2, 3, seed=11)
    still = np.tile([[0.3, -0.2]], (30, 1))
    y = truth.simulated(still, truth.steady(still[0]))
    assert np.ptp(y, axis=0).max() < 1e-9
    u = np.random.default_rng(3).normal(size=(25, 2))
    once = truth.simulated(u, truth.periodic(u))
    twice = truth.simulated(np.tile(u, (2, 1)), truth.periodic(u))
    assert np.allclose(twice, np.tile(once, (2, 1)), atol=1e-9)


@pytest.mark.parametrize(
    ("u", "y", "message"),
    [
        (np.zeros((20, 2)), np.zeros((21, 1)), "y: expected as many frames as u has in clip 0"),
        ([np.zeros((20, 2))], [], "expected at least one clip to learn from"),
        (np.full((20, 1), np.nan), np.zeros((20, 1)), "frame 0"),
        (
            [np.zeros((20, 2)), np.zeros((20, 3))],
            [np.zeros((20, 1))] * 2,
            "u: expected as many numbers per frame in clip 1 as in the first",
        ),
        (np.zeros((3, 1)), np.zeros((3, 1)), "expected a clip of at least 4 frames"),
    ],
)
def test_what_cannot_be_is_said(u: object, y: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        subspace.n4sid(u, y, 1)


def test_matrices_that_do_not_fit_are_refused() -> None:
    with pytest.raises(OptionError, match="B: expected a matrix of 2 x 1, found 3 x 1"):
        StateSpace(np.zeros((2, 2)), np.zeros((3, 1)), np.zeros((1, 2)), np.zeros((1, 1)))
