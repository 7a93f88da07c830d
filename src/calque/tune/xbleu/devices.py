from __future__ import annotations

from typing import Any, Literal, TypeAlias

from calque.errors import CalqueError
from calque.parallel import Engine, Here
from calque.tune.problem import Vector
from calque.tune.working_copy import WorkingCopy
from calque.tune.xbleu.objective import Pass
from calque.tune.xbleu.on_engine import EnginePass

Device: TypeAlias = Literal["core", "cuda", "torch-cpu"]
"""Where expected worth and its derivatives are summed up over all lists."""


def check_device(device: Device) -> None:
    """Raise `CalqueError` where this machine has no such device."""
    if device != "core":
        _torch(device).device_of(device)


def pass_on(
    device: Device, copy: WorkingCopy, worths: Vector, scale: float, engine: Engine | None = None
) -> Pass | None:
    """A pass over these lists on a device or an engine; none for the core in threads here."""
    if device == "core":
        if engine is None or isinstance(engine, Here):
            return None
        return EnginePass(copy, worths, scale, engine)
    room = _torch(device)
    made: Pass = room.TorchPass(copy, worths, scale, room.device_of(device))
    return made


def _torch(device: Device) -> Any:
    """The only file that needs torch."""
    try:
        from calque.tune.xbleu import on_torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise CalqueError(
            f"device={device} needs torch, which is not installed: pip install 'calque[gpu]'"
        ) from error
    return on_torch
