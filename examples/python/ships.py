"""Ship damage incidents: a Poisson rate model, the same on every engine installed.

McCullagh and Nelder (1989), section 6.3.2: incidents per month of service, by type of ship, year of construction and
period of operation. The logarithm of the months of service is the offset, so that the model is one of rates.

Writes the figure and the evidence record to ``demo-output/``.
"""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path
from typing import Any

import isostat as iso
import numpy as np

HERE = Path(__file__).resolve().parent
OUTPUT = Path("demo-output")
FORMULA = "incidents ~ type + year + period"


def read_ships() -> dict[str, list[Any]]:
    """Read the table: labels are factors, counts and months are numbers."""
    with (HERE.parent / "data" / "ships.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    labels = {name: [row[name] for row in rows] for name in ("type", "year", "period")}
    numbers = {name: [float(row[name]) for row in rows] for name in ("service", "incidents")}
    return {**labels, **numbers}


def engines() -> list[tuple[str, Any]]:
    """Every engine whose library is installed, with the function that makes its arrays."""
    found: list[tuple[str, Any]] = []
    if importlib.util.find_spec("torch"):
        found.append(("torch", iso.TorchEngine().asarray))
    if importlib.util.find_spec("jax"):
        import jax

        jax.config.update("jax_enable_x64", True)
        found.append(("jax", iso.JaxEngine().asarray))
    if importlib.util.find_spec("array_api_strict"):
        import array_api_strict

        found.append(("array-api-strict", iso.ArrayApiEngine(array_api_strict).asarray))
    return found


def parity(fit: iso.Fit, ships: dict[str, list[Any]]) -> None:
    """Fit the same design on every engine and print how far the answers lie apart."""
    X = fit.model_matrix()
    y, exposure = np.asarray(ships["incidents"]), np.asarray(ships["service"])
    options = {"family": "poisson", "intercept": False, "coef_names": fit.coef_names}
    baseline = iso.fit_glm(X, y, exposure=exposure, engine="numpy", **options)
    fused = iso.fit_glm(X, y, exposure=exposure, **options)
    rows = [("numpy (baseline)", baseline), ("numpy (fused)", fused)]
    for name, asarray in engines():
        rows.append((name, iso.fit_glm(asarray(X), asarray(y), exposure=asarray(exposure), **options)))
    print(f"{'engine':<18} {'arrays':<26} {'iterations':>10} {'log-likelihood':>18} {'largest difference':>20}")
    for name, other in rows:
        difference = np.max(np.abs(iso.to_numpy(other.coef) - baseline.coef))
        kind = f"{type(other.coef).__module__.split('.')[0]}.{type(other.coef).__name__}"
        print(f"{name:<18} {kind:<26} {other.n_iter:>10} {other.loglik:>18.12f} {difference:>20.1e}")


def draw(fit: iso.Fit, ships: dict[str, list[Any]], path: Path) -> None:
    """Draw fitted against observed rates, with 95 % intervals of the fitted ones."""
    from matplotlib.figure import Figure

    service, incidents = np.asarray(ships["service"]), np.asarray(ships["incidents"])
    fitted = fit.predict(interval="confidence")
    rate, low, high = (1000 * v / service for v in (fitted.fit, fitted.lower, fitted.upper))
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    position = np.arange(len(rate))
    axes.errorbar(
        position, rate, yerr=[rate - low, high - rate], fmt="o", capsize=2, markersize=4, label="fitted, 95 %"
    )
    axes.plot(position, 1000 * incidents / service, "kx", markersize=6, label="observed")
    cells = zip(ships["type"], ships["year"], ships["period"], strict=True)
    axes.set_xticks(position, [f"{t} {y}/{p}" for t, y, p in cells], rotation=90, fontsize=7)
    axes.set(
        ylabel="Incidents per 1000 months of service",
        xlabel="Type, year of construction / period of operation",
    )
    axes.set_ylim(bottom=-0.3)
    axes.grid(axis="y", linewidth=0.3)
    axes.legend()
    figure.suptitle("Ship damage incidents: Poisson rate model")
    figure.savefig(path, dpi=150)


def main() -> None:
    """Fit, print, compare, draw."""
    ships = read_ships()
    fit = iso.glm(FORMULA, ships, family="poisson", exposure="service")
    print(fit.summary(), end="\n\n")
    parity(fit, ships)
    OUTPUT.mkdir(exist_ok=True)
    draw(fit, ships, OUTPUT / "ships.png")
    (OUTPUT / "ships-evidence.json").write_text(iso.verify(fit).to_json() + "\n", encoding="utf-8")
    print(f"\nwrote {OUTPUT / 'ships.png'} and {OUTPUT / 'ships-evidence.json'}")


if __name__ == "__main__":
    main()
