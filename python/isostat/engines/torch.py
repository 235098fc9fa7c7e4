"""The engine over torch tensors."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from isostat.engines.base import require
from isostat.engines.dtypes import floating_name
from isostat.errors import DomainError, UnsupportedError

__all__ = ["TorchEngine"]

#: The first torch whose DTensor carries what a sharded fit needs.
_DTENSOR_SINCE = (2, 5)


@dataclass(frozen=True)
class TorchEngine:
    """Torch tensors, which stay on their device; autograd passes through.

    Parameters
    ----------
    device : str, default "cpu"
        Any device of torch: ``"cuda:0"``, ``"mps"``.
    dtype : str or dtype, optional
        Floating dtype; None is float64 (float32 on MPS, which has no other).
    mesh : torch.distributed.device_mesh.DeviceMesh, optional
        Devices that components are spread over.
    shard : {"component"}, optional
        What is spread over ``mesh``.
    """

    device: str = "cpu"
    dtype: str | None = None
    mesh: Any = None
    shard: str | None = None

    def __post_init__(self) -> None:
        torch = require("torch", "TorchEngine", "pip install torch")
        if self.shard not in (None, "component"):
            raise DomainError(f'[domain] TorchEngine: `shard` must be None or "component", got {self.shard!r}')
        if self.mesh is not None or self.shard is not None:
            version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
            if version < _DTENSOR_SINCE:
                raise UnsupportedError(
                    f"[unsupported] TorchEngine with `mesh` under torch {torch.__version__} is not "
                    'supported: its DTensor is too old; use backend="model_parallel" or torch 2.5'
                )
        try:
            device = torch.device(self.device)
        except RuntimeError as error:
            raise DomainError(
                f"[domain] TorchEngine: `device` must be a device of torch, got {self.device!r}"
            ) from error
        name = "cuda:0" if str(device) == "cuda" else str(device)
        default = "float32" if device.type == "mps" else "float64"
        dtype = default if self.dtype is None else floating_name(self.dtype)
        if device.type == "mps" and dtype == "float64":
            raise DomainError("[domain] TorchEngine: `dtype` must be float32 on MPS, got float64")
        object.__setattr__(self, "device", name)
        object.__setattr__(self, "dtype", dtype)

    @property
    def name(self) -> str:
        """``torch``."""
        return "torch"

    def asarray(self, x: Any) -> Any:
        """Make a tensor on the device; floating values take the engine's dtype, others keep theirs."""
        torch = importlib.import_module("torch")
        tensor = torch.as_tensor(x, device=self.device)
        if tensor.is_floating_point():
            tensor = tensor.to(getattr(torch, self.dtype or "float64"))
        return tensor
