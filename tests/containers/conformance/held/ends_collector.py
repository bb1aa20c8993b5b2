import gc

gc.callbacks.append(lambda phase, _: print(phase))
ring = []
ring.append(ring)
del ring
