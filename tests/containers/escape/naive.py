"""A judge as they are often written: one shared directory, the answer beside the program, results on a pipe that
programs inherit, Python in its own interpreter, a comparison that stops where either side ends. What fools it cheats.

    python3 naive.py SOURCE DATA     exit code 0: accepted; else the last line says the verdict
"""

import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path


def same(got, answer):
    for ours, theirs in zip(got.split(), answer.split(), strict=False):
        try:
            x, y = float(ours), float(theirs)
        except ValueError:
            if ours.lower() != theirs.lower():
                return False
            continue
        if abs(x - y) / max(1, abs(x), abs(y)) > 1e-6:
            return False
    return True


def compiled(source):
    name = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    program = Path(f"{name}.out").absolute()
    if not program.exists():
        compiler = "gcc" if source.suffix == ".c" else "g++"
        done = subprocess.run(
            [compiler, source, "-w", "-pthread", "-o", program, "-lm"], check=False, text=True, capture_output=True
        )
        if done.returncode:
            return finish("CE")
    return program


def run(program, given, case):
    environment = {**os.environ, "CASE_FILE": str(case)}
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([program], close_fds=False, text=True, env=environment, **streams)
    process.stdin.write(given)
    process.stdin.close()
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
        finish("TLE")
    if process.returncode in (-9, -31, 124, 125, 126, 127, 137):
        finish("IE")  # something must have gone wrong here
    if process.returncode:
        finish("TLE" if process.returncode == -24 else "RE")
    return process.stdout.read()


def interpreted(source, given, answer):
    sys.stdin, terminal, sys.stdout = io.StringIO(given), sys.stdout, io.StringIO()
    exec(compile(source.read_text(), source, "exec"), {"__name__": "__main__", "__file__": str(source)})
    got, sys.stdout = sys.stdout.getvalue(), terminal
    return got


def finish(verdict):
    print(verdict)
    sys.exit(verdict != "AC")


def main():
    source, data = Path(sys.argv[1]), Path(sys.argv[2])
    reports, report = os.pipe()
    os.set_inheritable(report, True)
    os.set_blocking(reports, False)
    program = None if source.suffix == ".py" else compiled(source)
    cases = sorted(data.glob("*/*.in"))
    for number, case in enumerate(cases, 1):
        given, answer = case.read_text(), case.with_suffix(".ans").read_text()
        Path("answer").write_text(answer)
        got = run(program, given, case) if program else interpreted(source, given, answer)
        print(got[:4096])
        os.write(report, f"{number} {'AC' if same(got, answer) else 'WA'}\n".encode())
    lines = [line.split() for line in os.read(reports, 1 << 16).decode().splitlines()]
    verdicts = dict(reversed([line for line in lines if len(line) == 2]))
    finish(next((word for word in map(verdicts.get, map(str, range(1, len(cases) + 1))) if word != "AC"), "AC"))


if __name__ == "__main__":
    main()
