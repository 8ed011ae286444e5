"""What the data is: inventory of every file, suspected links between patients, profile."""
