"""The model folder: arrays, vocabularies and a manifest, written atomically and memory-mapped."""

from calque.model.folder import ModelFolder
from calque.model.kept_bitext import KeptBitext
from calque.model.manifest import Entry, Manifest
from calque.model.model import Model
from calque.model.weights import (
    DEFAULT,
    activate_weights,
    active_name,
    check_name,
    delete_weights,
    origin_of,
    read_weights,
    read_weights_file,
    select_weights,
    store_weights,
    weight_names,
    write_weights,
)
from calque.model.writer import ModelWriter

__all__ = [
    "DEFAULT",
    "Entry",
    "KeptBitext",
    "Manifest",
    "Model",
    "ModelFolder",
    "ModelWriter",
    "activate_weights",
    "active_name",
    "check_name",
    "delete_weights",
    "origin_of",
    "read_weights",
    "read_weights_file",
    "select_weights",
    "store_weights",
    "weight_names",
    "write_weights",
]
