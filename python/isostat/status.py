"""How a fit ended."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Status"]


class Status(StrEnum):
    """The ending of a fit; anything but the first two is not to be used as a maximum."""

    CONVERGED = "converged"
    BOUNDARY = "boundary"
    ITERATION_LIMIT = "iteration_limit"
    SEPARATION = "separation"
    QUASI_SEPARATION = "quasi_separation"
    SINGULAR = "singular"
    NOT_IDENTIFIABLE = "not_identifiable"
    INFINITE_MLE = "infinite_mle"
    STALLED = "stalled"
