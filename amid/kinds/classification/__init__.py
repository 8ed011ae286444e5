"""Classification: a case has one class, or any of several; a prediction is probabilities."""
