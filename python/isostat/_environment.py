"""What importing isostat settles in the environment."""

from __future__ import annotations

import os
import sys
import warnings

_NAME = "SCIPY_ARRAY_API"


def prepare() -> None:
    """Let SciPy's functions take foreign arrays in likelihoods that users write.

    Sets ``SCIPY_ARRAY_API=1`` where it is unset and SciPy is not imported yet, and keeps any other value with a
    warning. isostat's own code hands no foreign array to SciPy.
    """
    value = os.environ.get(_NAME)
    if value is None:
        if "scipy" not in sys.modules:
            os.environ[_NAME] = "1"
    elif value != "1":
        warnings.warn(
            f'{_NAME} is "{value}": SciPy functions will refuse foreign arrays; set it to "1" before SciPy is imported',
            stacklevel=3,
        )
