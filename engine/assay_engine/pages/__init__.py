"""What is shown of a report at length: the hover and the evidence page."""
