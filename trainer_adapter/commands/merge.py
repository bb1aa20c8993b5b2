"""`judge-train merge`: makes a whole model of a base and an adapter."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("merge")
@click.argument("adapter", metavar="ADAPTER", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "-o", "--output", required=True, metavar="DIRECTORY", type=click.Path(path_type=Path), help="Where the model goes."
)
@click.option("--base", metavar="MODEL", help="The model in full precision. [default: what the adapter was trained on]")
@click.option("--revision", help="Of the base, on the hub.")
@click.option(
    "--dtype",
    type=click.Choice(["bfloat16", "float16", "float32"]),
    help="Precision of the files. [default: that of the base]",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    help="The largest difference of a logit. [default: 0.5 for bfloat16, 0.1 for float16, 0.001 for float32]",
)
def command(
    adapter: Path, output: Path, base: str | None, revision: str | None, dtype: str | None, tolerance: float | None
) -> int:
    """Merge an adapter into its base model in full precision, and check the logits of what was written.

    ADAPTER is the directory of a run of grpo, sft or dpo, or of an adapter or checkpoint in it. The output has
    safetensors, the tokenizer of the training, and merge.json: what it was made of, and the differences.

    \b
    Examples:
      judge-train merge /data/runs/dpo -o /data/models/mine
      judge-train merge /data/runs/sft/checkpoints/checkpoint-200 -o /data/models/early --dtype float32

    Exit codes: 0 success, 2 error; nothing is written then.
    """
    from trainer_adapter.training.merging import merge  # noqa: PLC0415 - slow to import

    found = merge(adapter, output, base=base, revision=revision, dtype=dtype, tolerance=tolerance)
    click.echo(
        f"{output}: {found.base} with {adapter} in {found.dtype}; its logits differ by up to {found.difference:.3g} "
        f"from base + adapter in float32, which the adapter moves by {found.effect:.3g}"
    )
    return 0
