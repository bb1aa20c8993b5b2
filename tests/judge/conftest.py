from __future__ import annotations

from hypothesis import HealthCheck, settings

# A test may be slow on a busy machine, never wrong for it.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
