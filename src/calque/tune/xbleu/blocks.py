from __future__ import annotations

from calque.errors import CalqueError
from calque.features import Template
from calque.model import Model


def block_template(model: Model) -> Template:
    """A template whose features stand for the blocks of a model, one each."""
    for template in model.features.templates.values():
        if template.slots == ("block",):
            return template
    raise CalqueError(
        "update=gt needs a sparse feature of every block: train the model with"
        " --set features.sparse=phrase-pair"
    )
