"""What a candidate would bring into a file that no trial can vouch for."""
