"""Links with parameters; the others go by their name alone: ``link="log"``."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Link", "power"]


@dataclass(frozen=True)
class Link:
    """A link by name: identity, log, logit, probit, cloglog, loglog, cauchit, inverse, inverse_square, sqrt."""

    name: str


def power(p: float) -> Link:
    """``eta = mu^p``; the identity at 1, the logarithm at 0."""
    return Link(f"power({p!r})")
