"""`judge-train demo`: shows learning on a CPU."""

from __future__ import annotations

import logging
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.cli.progress import teller

if TYPE_CHECKING:
    from trainer_adapter.demo.experiment import Curve


@click.command("demo")
@click.option(
    "-o", "--output", default="judge-train-demo", show_default=True, type=click.Path(path_type=Path, file_okay=False)
)
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="Runs of each experiment.")
@click.option("--steps", default=25, show_default=True, type=click.IntRange(1), help="Steps of the planted experiment.")
@click.option(
    "--quantization",
    default="none",
    show_default=True,
    type=click.Choice(["none", "nf4"]),
    help="Of the planted model.",
)
@click.option("--only", multiple=True, type=click.Choice(["planted", "lora", "constant"]), help="Not all experiments.")
def command(output: Path, seeds: int, steps: int, quantization: str, only: tuple[str, ...]) -> int:
    """Show learning on this machine's CPU: a tiny model, TRL, and the real judge. It takes about seven minutes of CPU
    time, and longer where other work uses the cores; stderr tells how far it is.

    A model that writes C++ for bundled problems is led astray along the 16 directions that TinyLoRA trains, and finds
    the way back by the judge's verdicts alone. Beside it a LoRA improves a careless model, and the first model is
    trained with a reward that tells nothing. Leaves demo.json and demo.png (with matplotlib) in the output directory,
    and each run's report.html.

    Exit codes: 0 it has learnt (at most 0.35 accepted at first, at least 0.80 in the end), 1 it has not.
    """
    # Before torch: two threads that wait for each other on shared cores are slower than one.
    os.environ.update({"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"})
    logging.basicConfig(format="%(message)s")
    warnings.filterwarnings("ignore", module="transformers")
    for name in ("bitsandbytes", "trainer_adapter"):
        logging.getLogger(name).setLevel(logging.ERROR)
    from trainer_adapter.demo.experiment import Demo, quieten  # noqa: PLC0415 - after the environment is set
    from trainer_adapter.demo.show import has_learnt, save  # noqa: PLC0415

    quieten()
    demo = Demo(output.absolute(), quantization, tell=teller("steps"))
    names = only or ("planted", "lora", "constant")
    runs = [(name, seed) for name in names for seed in range(seeds if name != "constant" else 1)]
    click.echo(f"runs: {len(runs)}, about a minute of CPU time each; first a model is taught", err=True)
    curves: list[Curve] = []
    for name, seed in runs:
        curve = demo.run(name, seed=seed, steps=_steps(name, steps))
        curves.append(curve)
        click.echo(_line(curve))
    click.echo(f"curves: {', '.join(map(str, save(curves, output)))}")
    return 0 if has_learnt(curves) else 1


def _steps(experiment: str, steps: int) -> int:
    """Steps of an experiment. A LoRA has more to learn; a curve that stays flat shows that soon."""
    return {"planted": steps, "lora": 8 * steps // 5, "constant": min(steps, 8)}[experiment]


def _line(curve: Curve) -> str:
    said = f"\n    {curve.symptoms[0]}" if curve.experiment == "constant" and curve.symptoms else ""
    return (
        f"{curve.experiment} seed {curve.seed}: accepted {curve.start:.2f} -> {curve.end:.2f}, "
        f"{curve.trained} trained numbers, {len(curve.accepted)} steps in {curve.wall_s:.0f} s{said}"
    )
