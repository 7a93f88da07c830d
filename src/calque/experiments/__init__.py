"""The tables, figures and claims of papers as recipes that run on any corpus.

`papers/` has one file or folder per paper. A recipe works on a `Bench`: models, and cells that are
worked out once. `reproduce` runs the recipes of a paper and writes the report.
"""
