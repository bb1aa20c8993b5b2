"""What the judge keeps: directories that nobody else can change, the cache in them, and bytes in memory."""
