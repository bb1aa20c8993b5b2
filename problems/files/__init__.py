"""Files of packages: trees and archives, read defensively; YAML with lines in its errors; what is stored and sent."""
