"""n, and n lines of n squares, of which at most half are holes."""

import re
import sys

first, _, rest = sys.stdin.read().partition("\n")
if not re.fullmatch(r"[1-9][0-9]{0,2}", first) or int(first) > 100:
    sys.exit(43)
n = int(first)
well = re.fullmatch(rf"(?:[.#]{{{n}}}\n){{{n}}}", rest) is not None
sys.exit(42 if well and 2 * rest.count("#") <= n * n else 43)
