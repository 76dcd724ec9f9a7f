"""Numerical tools: arrays in, arrays out. Nothing here depends on skeletons."""
