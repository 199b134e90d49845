"""``python -m kernelproba``: the command line."""

from kernelproba.cli import main

if __name__ == "__main__":
    main()
