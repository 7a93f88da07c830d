"""One file or folder per paper; its `PAPER` says what there is to reproduce."""
