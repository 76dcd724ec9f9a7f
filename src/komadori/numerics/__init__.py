"""Numerical tools: arrays in, arrays out. Nothing here knows a skeleton."""
