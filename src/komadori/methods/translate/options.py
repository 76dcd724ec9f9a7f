"""The parameters of fitting a translator, defined once for every face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from komadori.parameters import check, parameter

Model = Literal["auto", "n4sid", "fir", "static"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TranslateOptions:
    """What can be asked of `Translator.fit`."""

    model: Model = parameter(
        "auto", "n4sid: the paper; fir: impulse response; static: no memory; auto: by cross-validation"
    )
    order: int | None = parameter(None, "states of n4sid (chosen by cross-validation if not given)", low=1, high=60)
    ridge: float | None = parameter(
        None, "weight against large coefficients (chosen by cross-validation if not given)", low=0.0, high=1e3
    )
    components_in: int = parameter(12, "principal components of the input joints", low=1, high=60)
    components_out: int = parameter(16, "principal components of the output joints", low=1, high=90)
    lags_s: float = parameter(0.27, "how far back an impulse response reaches", unit="s", low=0.0, high=3.0)
    caution: float = parameter(
        0.4, "how much an answer is drawn towards the mean pose where the input is unlike the training (0: not at all)",
        low=0.0, high=1.0,
    )  # fmt: skip

    def __post_init__(self) -> None:
        check(self)
