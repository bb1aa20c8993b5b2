# Tries: have the compiler fold constants into gigabytes
# Control: no, newer interpreters refuse it by themselves
# Expect: ok error memory

x = "a" * 10**10
y = 10**10**10
z = (("a" * 4096) * 4096) * 4096
w = ((1,) * 200) * 200
v = 1 << 10**12
