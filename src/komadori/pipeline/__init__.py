"""Recipes: ordered steps with parameters, from a TOML file or from code, that turn a motion into animation."""

from __future__ import annotations

from komadori.pipeline.looks import LOOKS, look
from komadori.pipeline.recipe import Recipe
from komadori.pipeline.running import PipelineResult, StepResult
from komadori.pipeline.steps import Step, steps

__all__ = ["LOOKS", "PipelineResult", "Recipe", "Step", "StepResult", "look", "steps"]
