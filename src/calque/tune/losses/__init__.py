"""What is wrong with weights, seen from one sentence: a file per loss; any update takes any."""
