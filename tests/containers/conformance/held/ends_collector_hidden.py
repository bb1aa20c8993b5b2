"""A callback of the collector's, whose module is gone."""

import gc
import sys

gc.callbacks.append(lambda phase, info: print(phase))
del sys.modules["gc"]
