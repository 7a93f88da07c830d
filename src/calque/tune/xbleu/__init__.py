"""Maximum expected BLEU on lists of candidates (Wuebker et al. 2015): objective, ways uphill."""
