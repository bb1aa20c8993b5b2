"""Judge programs from Python: one alone, then several in parallel.

python examples/python_api.py
"""

from __future__ import annotations

from judge import Judge, Options, Stop, Submission

RIGHT = b"#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b; }\n"
NARROW = RIGHT.replace(b"long long", b"short")
BROKEN = RIGHT.replace(b"std::cout", b"cout")


def main() -> None:
    # One Judge for the life of a program: it keeps its sandboxes and caches warm.
    with Judge() as judge:
        judgement = judge.judge(Submission(source=RIGHT, problem="P1001", language="cpp17"))
        print(f"{judgement.verdict} score={judgement.score} tests={len(judgement.tests)}")

        submissions = [
            Submission(id="right", source=RIGHT, problem="P1001", language="cpp17"),
            Submission(id="narrow", source=NARROW, problem="P1001", language="cpp17"),
            Submission(id="broken", source=BROKEN, problem="P1001", language="cpp17"),
        ]
        # They come as they finish, in any order: `id` tells which is which.
        for judgement in judge.judge_many(submissions, Options(stop=Stop.FIRST_FAILURE)):
            # IE is a failure of the judge or of the problem, never of the program: its score is None, not 0.
            score = "unknown" if judgement.score is None else f"{judgement.score:.2f}"
            print(f"{judgement.id}: {judgement.verdict} score={score}")


if __name__ == "__main__":
    main()
