"""Where a command begins: an interrupt while modules are imported ends it in one line, too."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of this process and exit with its code."""
    try:
        from calque.cli.main import main as run
    except KeyboardInterrupt:
        print("calque: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
