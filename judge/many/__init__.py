"""Many submissions at once: on the cores of this machine, or on more machines; and whole packages verified."""
