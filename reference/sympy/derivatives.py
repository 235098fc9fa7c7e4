"""Derivatives of log densities to order 4 by SymPy, in 40 digits: writes derivatives.json beside this file."""

import json
from pathlib import Path

import sympy
from sympy import erfc, exp, log, loggamma, pi, sqrt, symbols

x, y, mu, sigma, theta, alpha, beta, eta = symbols("x y mu sigma theta alpha beta eta")


def norm_cdf(t):
    return erfc(-t / sqrt(2)) / 2


FORMULAS = {
    "gaussian": -(((x - mu) / sigma) ** 2) / 2 - log(sigma) - log(2 * pi) / 2,
    "poisson_log": y * eta - exp(eta) - loggamma(y + 1),
    "binomial_logit": y * eta - log(1 + exp(eta)),
    "binomial_probit": y * log(norm_cdf(eta)) + (1 - y) * log(norm_cdf(-eta)),
    "negative_binomial": loggamma(y + theta)
    - loggamma(theta)
    - loggamma(y + 1)
    + theta * log(theta / (theta + mu))
    + y * log(mu / (theta + mu)),
    "gamma": alpha * log(beta) - loggamma(alpha) + (alpha - 1) * log(y) - beta * y,
    "beta": loggamma(alpha + beta) - loggamma(alpha) - loggamma(beta) + (alpha - 1) * log(x) + (beta - 1) * log(1 - x),
    "student_t": loggamma((theta + 1) / 2)
    - loggamma(theta / 2)
    - log(theta * pi) / 2
    - (theta + 1) / 2 * log(1 + y**2 / theta),
    "mixture": log(exp(-((x - mu) ** 2)) + exp(-((x / sigma) ** 2) / 3)),
    "power": mu ** (x * mu),
}
POINTS = [
    {"x": 0.375, "y": 3.0, "mu": 0.75, "sigma": 0.4375, "theta": 2.25, "alpha": 1.75, "beta": 0.625, "eta": 0.375},
    {"x": 0.8125, "y": 0.5, "mu": 4.5, "sigma": 2.5, "theta": 0.375, "alpha": 6.5, "beta": 11.25, "eta": -2.5},
]


def records():
    for name, formula in FORMULAS.items():
        for variable in sorted(formula.free_symbols, key=str):
            for point in POINTS:
                values = {symbols(key): sympy.Rational(value) for key, value in point.items()}
                slopes = [sympy.diff(formula, variable, order).subs(values) for order in range(5)]
                digits = [float(sympy.N(slope, 40)) for slope in slopes]
                yield {"formula": name, "by": str(variable), "point": point, "derivatives": digits}


if __name__ == "__main__":
    document = {"tool": "sympy", "version": sympy.__version__, "records": list(records())}
    Path(__file__).with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")
