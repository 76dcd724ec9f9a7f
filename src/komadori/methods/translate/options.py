"""The parameters of fitting a translator, defined once for every face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from komadori.parameters import check, parameter

Model = Literal["auto", "n4sid", "fir", "static", "ridge"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TranslateOptions:
    """The options of `Translator.fit`."""

    model: Model = parameter(
        "auto",
        "n4sid: the paper; fir: impulse response; static: principal components, no memory; ridge: plain ridge regression; "
        "auto: the best on held-out clips",
        label="how it is learned",
        called={
            "n4sid": "with memory (n4sid)",
            "fir": "from the last moments (fir)",
            "static": "from the pose alone (static)",
            "ridge": "by plain regression (ridge)",
        },
    )
    order: int | None = parameter(
        None, "states of n4sid (chosen on held-out clips if not given)", low=1, high=60, label="memory of the model"
    )
    ridge: float | None = parameter(
        None,
        "weight against large coefficients (chosen on held-out clips if not given)",
        low=0.0,
        high=1e3,
        label="restraint of the fit",
    )
    components_in: int = parameter(
        12, "principal components of the input joints", low=1, high=60, label="detail of the input"
    )
    components_out: int = parameter(
        16, "principal components of the output joints", low=1, high=90, label="detail of the output"
    )
    lags_s: float = parameter(
        0.27, "how far back an impulse response reaches", unit="s", low=0.0, high=3.0, label="look back"
    )
    tempo: float | None = parameter(
        None,
        "how much the swing shrinks on input slower than the training (0: not at all, 1: as people's arms do; "
        "if not given, auto decides and the other models take 0)",
        low=0.0, high=2.0, label="smaller swing when slow")  # fmt: skip
    caution: float | None = parameter(
        None,
        "how strongly the result is pulled towards the mean pose on input slower than the training (if not given: 0, unless it helps auto on held-out clips)",
        low=0.0, high=1.0, label="calmer when slow")  # fmt: skip

    def __post_init__(self) -> None:
        check(self)
