"""Files that were not closed are written out when they go."""

import io

plain = open(1, "w", closefd=False)
plain.write("plain\n")
binary = open(1, "wb", closefd=False)
binary.write(b"binary\n")
wrapped = io.TextIOWrapper(io.BufferedRandom(open("kept", "wb+", 0)), write_through=False)
wrapped.write("wrapped\n")
print("printed")
