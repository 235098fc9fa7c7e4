"""Statistical models that give the same answer on every compute engine.

>>> import numpy as np
>>> import isostat as iso
>>> x = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
>>> y = np.array([1.0, 3.0, 4.0, 9.0, 14.0])
>>> fit = iso.fit_glm(x[:, None], y, family="poisson")
>>> [round(float(b), 4) for b in fit.coef]
[0.3648, 0.5743]
"""

from isostat import array_api, engines, errors, families, functional, links
from isostat._environment import prepare as _prepare
from isostat._version import __version__
from isostat.anova import anova
from isostat.engines import (
    FUSED_NUMPY_ENGINE,
    NUMPY_ENGINE,
    ArrayApiEngine,
    CupyEngine,
    JaxEngine,
    NumpyEngine,
    TorchEngine,
    engine_of,
    register_array_type,
    to_numpy,
)
from isostat.errors import ConvergenceWarning, IsostatError
from isostat.evidence import Evidence
from isostat.fit import Fit, Prediction, load
from isostat.glm import fit_glm, glm
from isostat.status import Status
from isostat.verify import verify

_prepare()

__all__ = [
    "FUSED_NUMPY_ENGINE",
    "NUMPY_ENGINE",
    "ArrayApiEngine",
    "ConvergenceWarning",
    "CupyEngine",
    "Evidence",
    "Fit",
    "IsostatError",
    "JaxEngine",
    "NumpyEngine",
    "Prediction",
    "Status",
    "TorchEngine",
    "__version__",
    "anova",
    "array_api",
    "engine_of",
    "engines",
    "errors",
    "families",
    "fit_glm",
    "functional",
    "glm",
    "links",
    "load",
    "register_array_type",
    "to_numpy",
    "verify",
]
