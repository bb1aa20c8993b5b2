"""What a server is deployed with: each file is what its tool takes, and names what there is."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from judge.common.execution import Execution
from judge.common.models import CompileResult, Judgement, TestResult, Verdict
from judge.server.observing.metrics import Metrics
from judge.server.settings import Settings
from problems.files.archive import MAX_TOTAL_BYTES

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "examples" / "deploy"


def needs(tool: str, package: str) -> str:
    found = shutil.which(tool)
    if found is None:
        missing = f"no {tool}: apt-get install {package}"
        if os.environ.get("JUDGE_REQUIRE"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


def metric_names() -> set[str]:
    """Those of a server that has judged."""
    gauges = ("judge_slots", "judge_begun", "judge_waiting", "judge_waiting_rows", "judge_at_once")
    metrics = Metrics(lambda: dict.fromkeys(gauges, 1.0))
    test = TestResult(name="1", group="", verdict=Verdict.AC, score=1.0, cpu_ns=1)
    compiled = CompileResult(verdict="ok")
    lost = {"problem": "P", "language": "c17", "accepted": False, "score": None}
    for cached in (False, True):  # what was known is not compiled and run again
        judgement = Judgement(verdict=Verdict.IE, tests=(test,), compile=compiled, cached=cached, **lost)  # type: ignore[arg-type]
        metrics.count("judgement", judgement, 0.1)
    metrics.count("execution", Execution(language="c17"), 0.1)
    families = text_string_to_metric_families(metrics.text().decode())
    return {sample.name for family in families for sample in family.samples}


def expressions(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inside in value.items():
            if name in ("expr", "definition") and isinstance(inside, str):
                yield inside
            yield from expressions(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from expressions(inside)


def test_the_dashboard_asks_for_metrics_that_there_are() -> None:
    board = json.loads((DEPLOY / "grafana.json").read_text())
    asked = {name for text in expressions(board) for name in re.findall(r"\bjudge_\w+", text)}
    names = metric_names()
    assert asked <= names
    told = {name for name in names if not name.endswith(("_created", "_sum", "_count", "_bucket"))}
    assert told <= asked, "each is on the dashboard"
    assert {"judge_queue_seconds_bucket", "judge_compile_seconds_bucket", "judge_run_cpu_seconds_bucket"} <= asked
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


@pytest.mark.parametrize("manifest", manifests(), ids=lambda manifest: manifest["kind"])
def test_kubernetes_takes_it(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, "1.33", strict=True)


def test_the_validator_refuses_what_kubernetes_would() -> None:
    deployment = next(each for each in manifests() if each["kind"] == "Deployment")
    deployment["spec"]["replica"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, "1.33", strict=True)


def test_the_pod_has_no_privilege_and_its_autoscaler_a_metric_that_there_is() -> None:
    kinds = {each["kind"]: each for each in manifests()}
    pod = kinds["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert not container["securityContext"]["allowPrivilegeEscalation"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert {probe["httpGet"]["path"] for name, probe in container.items() if name.endswith("Probe")} == {
        "/healthz",
        "/readyz",
    }
    rule = kinds["ConfigMap"]["data"]["rules.yaml"]
    assert set(re.findall(r"judge_(?:waiting|at)\w*", rule)) <= metric_names()
    (metric,) = kinds["HorizontalPodAutoscaler"]["spec"]["metrics"]
    assert f"as: {metric['object']['metric']['name']}" in rule
    settings = {one["name"]: one for one in container["env"]}
    assert pod["terminationGracePeriodSeconds"] > int(settings["JUDGE_SERVE_DRAIN_SECONDS"]["value"])
    (size,) = (one["emptyDir"]["sizeLimit"] for one in pod["volumes"] if one["name"] == "tmp")
    packages_bytes = int(settings["JUDGE_SERVE_PACKAGES_BYTES"]["value"])
    assert packages_bytes + MAX_TOTAL_BYTES < int(size.removesuffix("Gi")) << 30, "else Kubernetes ends the pod"


def test_prometheus_reads_the_pods_with_a_key() -> None:
    pods = next(each for each in manifests() if each["kind"] == "Deployment")["spec"]["template"]
    assert "annotations" not in pods["metadata"], "an annotation brings no key"
    (port,) = pods["spec"]["containers"][0]["ports"]
    monitor, config = yaml.safe_load_all((DEPLOY / "prometheus.yaml").read_text())
    assert monitor["spec"]["selector"]["matchLabels"] == pods["metadata"]["labels"]
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert (endpoint["port"], endpoint["path"]) == (port["name"], "/metrics")
    assert endpoint["authorization"]["type"] == "Bearer", "as the server reads it"
    secret = endpoint["authorization"]["credentials"]
    guide = (ROOT / "docs/deploy.md").read_text()
    assert f"create secret generic {secret['name']} --from-literal={secret['key']}=KEY" in guide
    kubernetes_validate.validate(config, "1.33", strict=True)
    (job,) = yaml.safe_load(config["data"]["prometheus.yml"])["scrape_configs"]
    assert job["authorization"] == {"credentials_file": f"/etc/{secret['name']}/{secret['key']}"}
    keep, *labels = job["relabel_configs"]
    assert keep["regex"] == f"{pods['metadata']['labels']['app']};{port['name']}"
    assert "namespace" in {each["target_label"] for each in labels}, "the rule of the autoscaler's metric asks for it"


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def named_settings() -> set[str]:
    texts = [path.read_text() for path in (*DEPLOY.iterdir(), *(ROOT / "containers/images").iterdir())]
    return {name for text in texts for name in re.findall(r"\bJUDGE_SERVE_([A-Z_]+)", text)}


def test_settings_that_files_name_are_settings() -> None:
    assert {name.lower() for name in named_settings()} <= set(Settings.model_fields)


def test_compose_names_what_it_has() -> None:
    found = compose()
    for service in found["services"].values():
        assert set(service.get("networks", ())) <= found["networks"].keys()
        assert set(service.get("secrets", ())) <= found["secrets"].keys()
        assert set(service.get("depends_on", ())) <= found["services"].keys()
    judge = found["services"]["judge"]
    assert judge["cap_drop"] == ["ALL"]
    assert judge["read_only"]
    assert "ports" not in judge, "only the proxy is reached from outside"


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    tool = needs("systemd-analyze", "systemd")
    unit = (DEPLOY / "judge.service").read_text().replace("/opt/judge/bin/judge", "/bin/true")
    (tmp_path / "judge.service").write_text(unit)
    ran = subprocess.run((tool, "verify", tmp_path / "judge.service"), capture_output=True, text=True, check=False)
    assert (ran.returncode, "judge.service" in ran.stderr) == (0, False), ran.stderr
    (tmp_path / "judge.service").write_text(unit.replace("KillMode=mixed", "KilMode=mixed"))
    ran = subprocess.run((tool, "verify", tmp_path / "judge.service"), capture_output=True, text=True, check=False)
    assert "KilMode" in ran.stderr, "it would say so"


@pytest.mark.long
def test_wheels_for_both_machines(tmp_path: Path) -> None:
    """The other machine's launcher is started under qemu's emulation, as far as that has the system calls."""
    emulator = needs("qemu-aarch64-static", "qemu-user-static")
    needs("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
    if platform.machine() != "x86_64":
        pytest.skip("made on x86-64 only")
    command = (sys.executable, "scripts/wheels.py", "-o", str(tmp_path / "wheels"))
    subprocess.run(command, cwd=ROOT, check=True)
    names = sorted(path.name for path in (tmp_path / "wheels").iterdir())
    tags = [f"py3-none-manylinux_2_17_{one}.musllinux_1_1_{one}.whl" for one in ("aarch64", "x86_64")]
    assert [name.split("-", 2)[2] for name in names] == tags
    with zipfile.ZipFile(tmp_path / "wheels" / names[0]) as archive:
        launcher = Path(archive.extract("containers/launcher/bin/judge-launcher", tmp_path))
    launcher.chmod(0o755)
    (tmp_path / "tree" / "deep").mkdir(parents=True)
    subprocess.run((emulator, launcher, "--remove", tmp_path / "tree"), check=True)
    assert not (tmp_path / "tree").exists()
