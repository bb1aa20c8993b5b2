# Shows: tempfile, pathlib, shutil, sqlite3 in memory
import pathlib
import shutil
import tempfile

a, b = map(int, input().split())
with tempfile.TemporaryDirectory() as directory, tempfile.NamedTemporaryFile("w+") as named, tempfile.TemporaryFile("w+"):
    path = pathlib.Path(directory, "sum")
    path.write_text(str(a + b))
    named.write("x")
    shutil.copyfile(path, "copy")
try:
    import sqlite3

    found = sqlite3.connect(":memory:").execute("select ?", (a + b,)).fetchone()[0]
except ImportError:
    found = a + b
print(pathlib.Path("copy").read_text() if found == a + b else 0)
