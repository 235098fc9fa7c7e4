"""Exceptions and warnings of isostat: one class per kind of refusal.

Every message starts with a stable code in brackets and names owner, parameter, rule and value; ``remedy``
says what to do. All are :class:`IsostatError`, and :class:`ValueError` or :class:`TypeError` besides.
"""

from __future__ import annotations

__all__ = [
    "ConvergenceWarning",
    "DegenerateWeightsError",
    "DomainError",
    "DtypeError",
    "FormulaError",
    "InternalError",
    "IsostatError",
    "MissingDependencyError",
    "MissingValueError",
    "MixedEngineError",
    "ShapeError",
    "UnknownColumnError",
    "UnseenLevelError",
    "UnsupportedError",
]


class IsostatError(Exception):
    """Everything that isostat refuses."""

    #: What to do about it; empty where the message says it all.
    remedy: str = ""


class DomainError(IsostatError, ValueError):
    """A value outside the range that its parameter or family allows."""


class ShapeError(IsostatError, ValueError):
    """Lengths or dimensions that do not fit."""


class MissingValueError(IsostatError, ValueError):
    """NaN, infinity or null where a number is needed."""


class UnknownColumnError(IsostatError, ValueError):
    """A name that the data do not have."""


class UnseenLevelError(IsostatError, ValueError):
    """A level that training did not see."""


class MixedEngineError(IsostatError, TypeError):
    """Arrays of two engines, devices or dtypes in one payload."""


class DtypeError(IsostatError, TypeError):
    """A dtype that the argument cannot have."""


class UnsupportedError(IsostatError, ValueError):
    """A combination that does not exist; the message names the nearest that does."""


class MissingDependencyError(IsostatError, ValueError):
    """An optional package that is not installed; the message holds the command that installs it."""


class DegenerateWeightsError(IsostatError, ValueError):
    """Weights that leave nothing to fit."""


class FormulaError(IsostatError, ValueError):
    """A formula that does not parse or cannot be evaluated."""


class InternalError(IsostatError, RuntimeError):
    """A defect of isostat itself: please report it."""


class ConvergenceWarning(UserWarning):
    """A fit ended without its certificate; the message holds the status and the remedy."""
