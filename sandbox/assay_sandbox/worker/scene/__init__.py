"""What a call finds around it: files, clocks, environment, random numbers and mocks."""
