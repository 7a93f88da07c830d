"""Block sequences as pictures: source words along one axis, target words along the other."""

from calque.decode.drawing.cells import fit, n_cells, visible
from calque.decode.drawing.grid import Box, Grid
from calque.decode.drawing.svg import Panel, svg
from calque.decode.drawing.terminal import box_drawing

__all__ = ["Box", "Grid", "Panel", "box_drawing", "fit", "n_cells", "svg", "visible"]
