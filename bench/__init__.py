"""Measurements beside other programs, in one run; the tables in docs/benchmarks are written by `make bench`."""
