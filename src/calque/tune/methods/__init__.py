"""The methods of `calque tune`, one file each; see `calque.tune.registry`."""
