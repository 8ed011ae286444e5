"""Where sealed jobs run."""
