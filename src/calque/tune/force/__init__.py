"""Learning from search errors (Yu et al. 2013): gold lattices, the trainer, growing weights."""
