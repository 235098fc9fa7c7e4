"""Log densities of the Tweedie family with 1 < p < 2: writes tweedie.json beside this file.

A Tweedie response is a Poisson number of gamma variables: its density at y > 0 is the sum over the number of them,
which is summed here term by term at 50 digits, and at 0 it is the probability of none.
"""

import json
from pathlib import Path

import mpmath
from mpmath import mp, mpf

mp.dps = 50
ENOUGH = mpf(10) ** -45


def log_density(y, mu, p, phi):
    rate = mu ** (2 - p) / (phi * (2 - p))
    if y == 0:
        return -rate
    shape = (2 - p) / (p - 1)
    scale = phi * (p - 1) * mu ** (p - 1)
    total, largest, n = mpf(0), mpf(0), 1
    while True:
        poisson = -rate + n * mp.log(rate) - mp.loggamma(n + 1)
        gamma = (n * shape - 1) * mp.log(y) - y / scale - mp.loggamma(n * shape) - n * shape * mp.log(scale)
        term = mp.exp(poisson + gamma)
        total += term
        largest = max(largest, term)
        if term < largest and term < ENOUGH * total:
            return mp.log(total)
        n += 1


rows = []
for p in (1.05, 1.2, 1.5, 1.8, 1.95):
    for phi in (0.05, 0.5, 3.0):
        for mu in (0.1, 1.0, 25.0):
            for y in (0.0, 0.01, 0.7, 4.0, 60.0):
                value = log_density(mpf(y), mpf(mu), mpf(p), mpf(phi))
                rows.append([p, phi, mu, y, mp.nstr(value, 20)])
columns = ["power", "phi", "mu", "y", "log_density"]
document = {"mpmath": mpmath.__version__, "columns": columns, "rows": rows}
text = json.dumps(document).replace("[[", "[\n[").replace("], [", "],\n[")
(Path(__file__).parent / "tweedie.json").write_text(text + "\n")
