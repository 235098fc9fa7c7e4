"""GLM fits against glum, scikit-learn and statsmodels: time, distance from the maximum, memory.

    env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE python benches/field/glm.py [--quick] [--out benches/results]

One process, runs alternate, medians. Each library runs at its own default tolerance, without penalty, with an
intercept, on the same float64 arrays; glum is timed on rows and on columns and its better time counts. Standard errors
are no part of any run. Seconds are those of the wall; on a machine that others use as well, processor seconds (all
threads together) tell the work.
"""

from __future__ import annotations

import argparse
import csv
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SIZES = [(100_000, 20), (1_000_000, 50), (1_000_000, 20)]
FAMILIES = ["poisson", "logistic"]
REPETITIONS = 5
# Beyond this many cells these run once: statsmodels takes a hundred times longer, glum prefers columns there.
ONCE_BEYOND = 1_000_000
ONCE = ("statsmodels", "glum, rows")
# Threads of a finished call may spin for a while: nobody pays for another's.
PAUSE = 0.25

Coefficients = np.ndarray[Any, np.dtype[np.float64]]


def data(n: int, p: int, family: str) -> tuple[Coefficients, Coefficients]:
    """Normal columns and a response of moderate signal; with the intercept there are p coefficients."""
    rng = np.random.default_rng(20_260_101 + p)
    X = rng.standard_normal((n, p - 1))
    beta = rng.standard_normal(p - 1) * 0.5 / np.sqrt(p)
    eta = X @ beta + 0.2
    if family == "poisson":
        return X, rng.poisson(np.exp(eta)).astype(float)
    return X, (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float)


def ours(X: Any, y: Any, family: str) -> Coefficients:
    import isostat as iso

    return np.asarray(iso.fit_glm(X, y, family="poisson" if family == "poisson" else "binomial").coef)


def glum(X: Any, y: Any, family: str) -> Coefficients:
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(family="poisson" if family == "poisson" else "binomial", alpha=0)
    model.fit(X, y)
    return np.r_[model.intercept_, model.coef_]


def sklearn(solver: str) -> Callable[[Any, Any, str], Coefficients]:
    def run(X: Any, y: Any, family: str) -> Coefficients:
        from sklearn.linear_model import LogisticRegression, PoissonRegressor

        if family == "poisson":
            model = PoissonRegressor(alpha=0, solver=solver)
        else:
            model = LogisticRegression(C=np.inf, solver=solver)
        model.fit(X, y)
        return np.r_[np.ravel(model.intercept_), np.ravel(model.coef_)]

    return run


def statsmodels(X: Any, y: Any, family: str) -> Coefficients:
    import statsmodels.api as sm

    kind = sm.families.Poisson() if family == "poisson" else sm.families.Binomial()
    return np.asarray(sm.GLM(y, X, family=kind).fit().params)


def rivals(X: Any) -> dict[str, tuple[Callable[[Any, Any, str], Coefficients], Any]]:
    """Names with what runs and on which array."""
    columns = np.asfortranarray(X)
    return {
        "isostat": (ours, X),
        "isostat, columns": (ours, columns),
        "glum, rows": (glum, X),
        "glum, columns": (glum, columns),
        "sklearn newton-cholesky": (sklearn("newton-cholesky"), X),
        "sklearn lbfgs": (sklearn("lbfgs"), X),
        "statsmodels": (statsmodels, np.column_stack([np.ones(len(X)), X])),
    }


def parts(X: Any, y: Any, family: str, beta: Coefficients) -> tuple[float, Coefficients, Coefficients]:
    """Deviance, score and information at beta, in blocks of rows."""
    p = len(beta)
    deviance, score, information = 0.0, np.zeros(p), np.zeros((p, p))
    for from_ in range(0, len(y), 50_000):
        part = np.column_stack([np.ones(len(y[from_ : from_ + 50_000])), X[from_ : from_ + 50_000]])
        z = y[from_ : from_ + 50_000]
        eta = part @ beta
        if family == "poisson":
            mu = np.exp(eta)
            weight = mu
            log = np.log(np.where(z > 0, z, 1) / mu)
            deviance += 2 * float(np.sum(np.where(z > 0, z * log, 0) - (z - mu)))
        else:
            mu = 1 / (1 + np.exp(-eta))
            weight = mu * (1 - mu)
            deviance += 2 * float(np.sum(np.logaddexp(0, np.where(z > 0, -eta, eta))))
        score += part.T @ (z - mu)
        information += part.T @ (part * weight[:, None])
    return deviance, score, information


def maximum(X: Any, y: Any, family: str, beta: Coefficients) -> tuple[float, Coefficients, Coefficients]:
    """Two Newton steps in NumPy from any answer: the maximum, its deviance and the standard errors there."""
    for _ in range(2):
        _, score, information = parts(X, y, family, beta)
        beta = beta + np.linalg.solve(information, score)
    deviance, _, information = parts(X, y, family, beta)
    return deviance, beta, np.sqrt(np.diag(np.linalg.inv(information)))


def compare(n: int, p: int, family: str, repetitions: int, slow: bool) -> list[dict[str, Any]]:
    """Times every library on one data set."""
    X, y = data(n, p, family)
    runs = rivals(X)
    if not slow:
        del runs["statsmodels"]
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    worked: dict[str, list[float]] = {name: [] for name in runs}
    answers: dict[str, Coefficients] = {}
    for run, array in runs.values():
        run(array[:1000], y[:1000], family)  # imports
    for repetition in range(repetitions):
        for name, (run, array) in runs.items():
            if repetition and name in ONCE and n * p > ONCE_BEYOND:
                continue
            time.sleep(PAUSE)
            start, work = time.perf_counter(), time.process_time()
            answers[name] = run(array, y, family)
            seconds[name].append(time.perf_counter() - start)
            worked[name].append(time.process_time() - work)
    best, beta, errors = maximum(X, y, family, answers["isostat"])
    mine = statistics.median(seconds["isostat"])
    rows = []
    for name, taken in seconds.items():
        deviance, score, information = parts(X, y, family, answers[name])
        rows.append(
            {
                "family": family,
                "n": n,
                "p": p,
                "library": name,
                "seconds": statistics.median(taken),
                "fastest": min(taken),
                "runs": len(taken),
                "ratio": statistics.median(taken) / mine,
                "processor_seconds": statistics.median(worked[name]),
                "processor_ratio": statistics.median(worked[name]) / statistics.median(worked["isostat"]),
                "deviance_above_minimum": deviance - best,
                "largest_error_in_stderr": float(np.max(np.abs(answers[name] - beta) / errors)),
                "newton_decrement": float(score @ np.linalg.solve(information, score)) / 2,
            }
        )
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        print(
            f"{row['family']:9} n={row['n']:<8} p={row['p']:<3} {row['library']:24} {row['seconds']:9.4f} s "
            f"(min {row['fastest']:8.4f}, {row['runs']} runs)  ratio {row['ratio']:7.2f}  "
            f"processor {row['processor_seconds']:8.4f} s, ratio {row['processor_ratio']:7.2f}  "
            f"deviance +{row['deviance_above_minimum']:8.1e}  {row['largest_error_in_stderr']:8.1e} stderr  "
            f"decrement {row['newton_decrement']:8.1e}",
            flush=True,
        )


def small_call() -> dict[str, float]:
    """Seconds of one call at n=100, p=3."""
    X, y = data(100, 3, "poisson")
    runs = {"isostat": ours, "glum": glum, "sklearn newton-cholesky": sklearn("newton-cholesky")}
    out = {}
    for name, run in runs.items():
        run(X, y, "poisson")
        taken = []
        for _ in range(200 if name == "isostat" else 20):
            start = time.perf_counter()
            run(X, y, "poisson")
            taken.append(time.perf_counter() - start)
        out[name] = statistics.median(taken)
    return out


MEMORY = """
import sys, re
sys.path.insert(0, {folder!r})
import glm
import numpy as np
X, y = glm.data({n}, {p}, "poisson")
glm.{run}(X[:1000], y[:1000], "poisson")
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
open("/proc/self/clear_refs", "w").write("5")
before = peak()
glm.{run}(X, y, "poisson")
print(peak() - before)
"""


def memory(n: int, p: int) -> dict[str, int | None]:
    """Bytes beyond X and y at the peak of a fit, each in a process of its own; Linux only."""
    out: dict[str, int | None] = {}
    for name, run in {
        "isostat": "ours",
        "glum": "glum",
        "sklearn newton-cholesky": "sklearn('newton-cholesky')",
        "sklearn lbfgs": "sklearn('lbfgs')",
    }.items():
        code = MEMORY.format(folder=str(Path(__file__).parent), n=n, p=p, run=run)
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
        out[name] = int(done.stdout) if done.returncode == 0 else None
    return out


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def configuration() -> dict[str, Any]:
    import isostat as iso
    from threadpoolctl import threadpool_info

    X, y = data(60_000, 5, "poisson")
    evidence = json.loads(iso.fit_glm(X, y, family="poisson").evidence.to_json())
    names = ["isostat", "glum", "scikit-learn", "statsmodels", "numpy", "scipy"]
    return {
        "versions": {name: importlib.metadata.version(name) for name in names} | {"python": platform.python_version()},
        "processor": processor(),
        "processors": os.cpu_count(),
        "load": os.getloadavg(),
        "threads": {info["prefix"]: info["num_threads"] for info in threadpool_info()},
        "isostat": {key: evidence.get(key) for key in ("engine", "workers", "simd")},
        "openblas_variables": {key: value for key, value in os.environ.items() if key.startswith("OPENBLAS")},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two runs, without statsmodels")
    parser.add_argument("--only", default="", help="sizes and families that contain this, as poisson-1000000-50")
    parser.add_argument("--out", type=Path, help="folder for the table and the configuration")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows: list[dict[str, Any]] = []
    for n, p in SIZES:
        for family in FAMILIES:
            if options.only in f"{family}-{n}-{p}":
                found = compare(n, p, family, 2 if options.quick else REPETITIONS, not options.quick)
                show(found)
                rows += found
                if options.out:
                    write(options.out, rows, None)
    calls = small_call()
    print("one call, n=100 p=3:", {name: f"{seconds * 1e6:.0f} us" for name, seconds in calls.items()})
    peaks = memory(1_000_000, 50)
    print("peak beyond X and y, n=1e6 p=50:", {name: peak and f"{peak / 1e6:.1f} MB" for name, peak in peaks.items()})
    found = configuration() | {"seconds_of_a_small_call": calls, "peak_bytes": peaks}
    print(json.dumps(found, indent=1))
    if options.out:
        write(options.out, rows, found)


def write(folder: Path, rows: list[dict[str, Any]], found: dict[str, Any] | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "glm.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)
    if found:
        (folder / "glm.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
