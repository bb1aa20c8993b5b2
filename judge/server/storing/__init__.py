"""What the server keeps: what it has accepted and what came of it, packages, files of clients."""
