"""`python -m amid` is the `amid` command."""

from amid.cli import main

if __name__ == "__main__":
    main()
