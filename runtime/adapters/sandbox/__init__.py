"""What holds a job in: limits, Landlock, seccomp, the strace record, and the watch over it."""
