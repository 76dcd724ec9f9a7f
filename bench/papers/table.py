"""The five papers."""

from __future__ import annotations

from bench.papers.hair import HAIR
from bench.papers.keyposes import KEYPOSES
from bench.papers.limited import LIMITED
from bench.papers.puppet import PUPPET
from bench.papers.translate import TRANSLATE

PAPERS = (LIMITED, KEYPOSES, HAIR, PUPPET, TRANSLATE)
