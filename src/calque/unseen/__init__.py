"""Words that the training text does not have: known words that can stand for them."""

from calque.unseen.known_words import KnownWords
from calque.unseen.learn import learn_unseen
from calque.unseen.substitutes import Substitutes, UnseenWords

__all__ = ["KnownWords", "Substitutes", "UnseenWords", "learn_unseen"]
