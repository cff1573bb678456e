"""What the control run says, in words: trips, cycles, addresses, values of loop registers."""
