"""What scores a translation, and the weights of the scores."""

from calque.features.weights import DENSE, Weights

__all__ = ["DENSE", "Weights"]
