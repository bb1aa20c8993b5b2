"""Our own endpoints."""
