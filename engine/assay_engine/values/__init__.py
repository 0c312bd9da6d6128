"""What programs are given and give back: taken apart, written down, said in few words."""
