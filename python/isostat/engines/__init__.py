"""Engines: who does array arithmetic, in which dtype, on which device.

Detection reads the inputs; there is no global switch. ``engine=`` takes an instance of one of these, or a
name.
"""

from isostat.engines.array_api import ArrayApiEngine
from isostat.engines.base import Engine
from isostat.engines.cupy import CupyEngine
from isostat.engines.dtypes import normalize_numpy_dtype, normalize_torch_dtype, precision_name
from isostat.engines.jax import JaxEngine
from isostat.engines.numpy import FUSED_NUMPY_ENGINE, NUMPY_ENGINE, NumpyEngine
from isostat.engines.registry import engine_of, register_array_type, to_numpy
from isostat.engines.torch import TorchEngine

__all__ = [
    "FUSED_NUMPY_ENGINE",
    "NUMPY_ENGINE",
    "ArrayApiEngine",
    "CupyEngine",
    "Engine",
    "JaxEngine",
    "NumpyEngine",
    "TorchEngine",
    "engine_of",
    "normalize_numpy_dtype",
    "normalize_torch_dtype",
    "precision_name",
    "register_array_type",
    "to_numpy",
]
