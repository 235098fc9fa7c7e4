"""Reference values of the special functions: writes special.json beside this file.

Each group has its argument names, its result names and rows of numbers as text. Arguments are decimal texts
read as the nearest double; results are those of the exact doubles, by mpmath at 50 digits or more, printed to
20. The last number of a row, where the group says so, is ``|f| + sum |argument * df/dargument|``: the size
that an error of one rounding in each argument may be compared with.

The incomplete functions are summed (series.py) as series of positive terms in exact fixed point; a small
complement is taken with as many more digits as it needs. No method of the library under test is used.
"""

import json
import random
import sys
from pathlib import Path

from mpmath import mp, mpf
from series import beta_both, gamma_both, gamma_both_exact, inverse_gaussian_both, tail_quantile, tweedie

random.seed(20240611)
mp.dps = 50
DIGITS = 20
SMALLEST = mpf("1e-300")
groups = {}


def text(value):
    return mp.nstr(value, DIGITS, strip_zeros=True)


def number(value, digits=7):
    """A double with a short decimal text."""
    return float(f"{value:.{digits}g}")


def log_uniform(low, high):
    return number(10 ** random.uniform(low, high))


def either_sign(x):
    return x if random.random() < 0.5 else -x


def group(name, arguments, results, rows, scaled=False):
    lines = []
    for args, values in rows:
        values = [mpf(v) for v in values]
        if any(mp.isnan(v) or mp.isinf(v) for v in values) or max(abs(v) for v in values) > mpf("1e300"):
            continue
        shown = [text(v) for v in (values[:-1] if scaled else values)]
        if scaled:
            shown.append(mp.nstr(values[-1], 4))
        lines.append(" ".join([repr(a) for a in args] + shown))
    groups[name] = {"arguments": arguments, "results": results, "scaled": scaled, "rows": lines}
    print(name, len(lines), flush=True)


def elementary(name, f, slope, points):
    """Rows of a function of one argument with its slope."""
    rows = []
    for x in points:
        exact = mpf(x)
        value = f(exact)
        if value != 0 and abs(value) < SMALLEST:
            continue
        rows.append(((x,), (value, abs(value) + abs(exact * slope(exact)))))
    group(name, ["x"], [name], rows, scaled=True)


# elementary ------------------------------------------------------------


def near(centres, low=-15, high=-1):
    for centre in centres:
        for _ in range(12):
            yield float(centre + either_sign(10 ** random.uniform(low, high)))


def negative_points(count, largest):
    for _ in range(count):
        x = -number(random.uniform(0, largest))
        if x != round(x):
            yield x


def gamma_points():
    points = [1.0, 2.0, 3.0, 0.5, 1.5, 2.5, -0.5, -1.5, 171.0, 1e15, 1e100, 1e-300]
    points += [log_uniform(-300, 0) for _ in range(60)] + [number(random.uniform(0, 20)) for _ in range(260)]
    points += [log_uniform(0, 300) for _ in range(100)]
    points += list(
        near([1, 2, 1.4616321449683623, -0.5040830082644554, -2.4570247382208006, -2.7476826467274127, -1, -3])
    )
    return points + list(negative_points(150, 30))


def psi(n):
    return lambda x: mp.psi(n, x)


def elementary_groups():
    points = gamma_points()
    elementary("ln_gamma", lambda x: mp.log(abs(mp.gamma(x))) if x < 0 else mp.loggamma(x), psi(0), points)
    small = [x for x in points if abs(x) < 171]
    elementary(
        "gamma",
        mp.gamma,
        lambda x: mp.gamma(x) * mp.psi(0, x),
        small + [number(random.uniform(20, 171.6)) for _ in range(120)],
    )
    elementary("digamma", psi(0), psi(1), points + list(near([-0.5040830082644554, -1.5734984731623904, -10.71])))
    for n in range(1, 5):
        chosen = [x for x in points if abs(x) > 10 ** (-280.0 / (n + 1)) and abs(x) < 10 ** (280.0 / (n + 1))]
        elementary(f"polygamma{n}", psi(n), psi(n + 1), chosen[:: 2 if n > 1 else 1])
    centre = [either_sign(number(random.uniform(0, 6))) for _ in range(200)] + [
        either_sign(log_uniform(-300, 0)) for _ in range(60)
    ]

    def gauss(x):
        return 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)

    elementary("erf", mp.erf, gauss, [*centre, 0.0])
    elementary("erfc", mp.erfc, gauss, centre + [0.0] + [number(random.uniform(-6, 26.2)) for _ in range(150)])

    def erfcx(x):
        if x < 1e4:
            return mp.exp(x * x) * mp.erfc(x)
        return mp.nsum(lambda k: (-1) ** int(k) * mp.fac2(2 * k - 1) / (2 * x * x) ** k, [0, 12]) / (x * mp.sqrt(mp.pi))

    scaled = [number(random.uniform(-26, 10)) for _ in range(200)] + [log_uniform(-20, 200) for _ in range(150)] + [0.0]
    elementary(
        "erfcx",
        erfcx,
        lambda x: 2 * x * erfcx(x) - 2 / mp.sqrt(mp.pi),
        scaled + [number(random.uniform(0, 30)) for _ in range(100)],
    )
    normal_groups()
    both = [either_sign(log_uniform(-20, 2.8)) for _ in range(150)] + [0.0, -700.0, 700.0, 1e10]
    elementary("log1p_exp", lambda x: mp.log1p(mp.exp(x)) if x < 1000 else x, lambda x: 1 / (1 + mp.exp(-x)), both)
    elementary("sigmoid", lambda x: 1 / (1 + mp.exp(-x)), lambda x: 1 / (2 + mp.exp(-x) + mp.exp(x)), both)
    rows = []
    for _ in range(500):
        a = log_uniform(-15, 10) if random.random() < 0.5 else number(random.uniform(0, 20))
        b = log_uniform(-15, 10) if random.random() < 0.6 else number(random.uniform(0, 20))
        x, y = mpf(a), mpf(b)
        value = mp.loggamma(x) + mp.loggamma(y) - mp.loggamma(x + y)
        total = mp.psi(0, x + y)
        slopes = abs(x * (mp.psi(0, x) - total)) + abs(y * (mp.psi(0, y) - total))
        rows.append(((a, b), (value, abs(value) + slopes)))
    group("ln_beta", ["a", "b"], ["ln_beta"], rows, scaled=True)


def normal_groups():
    density = mp.npdf

    def cdf(x):
        return mp.erfc(-x / mp.sqrt(2)) / 2

    points = (
        [number(random.uniform(-37, 9)) for _ in range(250)]
        + [either_sign(log_uniform(-20, 0)) for _ in range(120)]
        + [0.0]
    )
    elementary("norm_cdf", cdf, density, points)
    elementary(
        "norm_log_cdf",
        lambda x: mp.log(cdf(x)),
        lambda x: density(x) / cdf(x),
        points + [-number(10 ** random.uniform(1.5, 4)) for _ in range(60)],
    )
    elementary("norm_pdf", density, lambda x: -x * density(x), points)
    probabilities = [log_uniform(-300, 0) for _ in range(200)] + [number(random.uniform(0, 1)) for _ in range(200)]
    probabilities += [1.0 - 2.0**-k for k in range(1, 54)] + [
        float(0.5 + either_sign(10 ** random.uniform(-16, -1))) for _ in range(50)
    ]
    rows = []
    for p in probabilities:
        exact = mpf(p)
        tail = min(exact, 1 - exact)
        z = mpf(0)
        if tail < 0.5:
            z = -mp.sqrt(2) * mp.erfinv(1 - 2 * tail) if tail > 1e-3 else tail_quantile(tail)
        z = z if exact < 0.5 else -z
        rows.append(((p,), (z, abs(z) + exact / density(z))))
    group("norm_quantile", ["p"], ["norm_quantile"], rows, scaled=True)


# incomplete functions ------------------------------------------------------------


def representable(tails):
    return tails is not None and min(tails[0], tails[1]) > SMALLEST


def spread_points(count, pick, evaluate):
    """`count` rows whose tails are representable."""
    found = []
    while len(found) < count:
        args = pick()
        if args is None:
            continue
        tails = evaluate(*args)
        if representable(tails):
            found.append((args, tails))
    return found


def moved_quantile(x, mass, slope, rounded):
    """The quantile of the rounded mass from that of the exact one; `slope` is d mass / d ln x."""
    return x * mp.exp((rounded - mass) / slope)


def quantile_rows(points, position, upper_sign):
    """(lower rows, upper rows) from points whose quantile is `position(args)`."""
    lower, upper = [], []
    for args, (low, high, slope) in points:
        x = position(*args)
        for mass, sign, rows in ((low, 1, lower), (high, upper_sign, upper)):
            if mass > 0.99 or mass / slope > 1e4:
                continue
            rounded = float(mass)
            value = moved_quantile(x, mass, sign * slope, mpf(rounded))
            if SMALLEST < value < 1 / SMALLEST:
                rows.append((args, rounded, value, value * (1 + mpf(rounded) / slope)))
    return lower, upper


def gamma_pick(low, high, deepest=36):
    def pick():
        a = log_uniform(low, high)
        if a < 1 or random.random() < 0.2:
            x = number(a * 10 ** random.uniform(-3, 2.5)) if a > 1e-3 else log_uniform(-30, 2.8)
        else:
            x = number(a + random.uniform(-deepest, deepest) * a**0.5, 12)
        return (a, x) if 0 < x < a + 40 * a**0.5 + 750 else None

    return pick


def gamma_groups():
    points = spread_points(1100, gamma_pick(-10, 4), gamma_both)
    points += spread_points(150, gamma_pick(0.5, 1.6), gamma_both)
    large = spread_points(60, gamma_pick(4, 8), gamma_both)
    group("gamma_inc", ["a", "x"], ["p", "q"], [(args, t[:2]) for args, t in points])
    group("gamma_inc_large", ["a", "x"], ["p", "q"], [(args, t[:2]) for args, t in large])
    for name, chosen in (("", points[::2]), ("_large", large)):
        lower, upper = quantile_rows(chosen, lambda a, x: mpf(x), -1)
        group(
            f"inv_gamma_p{name}",
            ["a", "p"],
            ["x"],
            [((a[0], p), (x, s)) for a, p, x, s in lower],
            scaled=True,
        )
        group(
            f"inv_gamma_q{name}",
            ["a", "q"],
            ["x"],
            [((a[0], p), (x, s)) for a, p, x, s in upper],
            scaled=True,
        )
    rows = []
    for _ in range(150):
        mean = log_uniform(-3, 4)
        y = max(0.0, float(round(mean + random.uniform(-20, 30) * mean**0.5)))
        tails = gamma_both(y + 1.0, mean)
        if representable(tails):
            rows.append(((y, mean), (tails[1], tails[0])))
    group("poisson", ["y", "mean"], ["cdf", "sf"], rows)
    rows = []
    for _ in range(150):
        a, x = gamma_pick(-1, 4)() or (2.0, 1.0)
        scale = log_uniform(-5, 5)
        placed = number(x * scale, 12)
        with mp.workdps(420):
            tails = gamma_both_exact(a, mpf(placed) / mpf(scale))
        if representable(tails):
            rows.append(((placed, a, scale), tails[:2]))
    group("gamma_distribution", ["x", "shape", "scale"], ["cdf", "sf"], rows)


def beta_at_fraction(a, b, x):
    return beta_both(a, b, lambda: mpf(x), lambda: 1 - mpf(x))


def beta_pick(low, high):
    def pick():
        a, b = log_uniform(low, high), log_uniform(low, high)
        mean, n = a / (a + b), a + b
        kind = random.random()
        if kind < 0.7:
            deviation = (mean * (1 - mean) / (n + 1)) ** 0.5
            x = number(mean + random.uniform(-1, 1) * random.choice([1, 3, 10, 36]) * deviation, 12)
        elif kind < 0.85:
            x = number(random.uniform(0, 1))
        else:
            x = log_uniform(-12, 0)
        return (a, b, x) if 0 < x < 1 else None

    return pick


def beta_groups():
    points = spread_points(900, beta_pick(-2, 4), beta_at_fraction) + spread_points(
        200, beta_pick(-8, 1), beta_at_fraction
    )
    points += spread_points(150, beta_pick(1.1, 2.2), beta_at_fraction)
    large = spread_points(60, beta_pick(0, 8), beta_at_fraction)
    group("beta_inc", ["a", "b", "x"], ["i", "complement"], [(args, t[:2]) for args, t in points])
    group("beta_inc_large", ["a", "b", "x"], ["i", "complement"], [(args, t[:2]) for args, t in large])
    rows = []
    for (a, b, x), (mass, _, slope) in points[::2] + large:
        y = 1 - mpf(x)
        if mass > 0.99 or mass * y / slope > 1e4:
            continue
        rounded = float(mass)
        # The slope is by the log odds; dx = x y d(log odds), and second order is far below 20 digits.
        value = mpf(x) + mpf(x) * y * (mpf(rounded) - mass) / slope
        rows.append(((a, b, rounded), (value, value * (1 + mpf(rounded) * y / slope))))
    group("inv_beta_inc", ["a", "b", "p"], ["x"], rows, scaled=True)
    rows = []
    for _ in range(250):
        trials = float(round(10 ** random.uniform(0, 5)))
        p = number(random.choice([random.uniform(0, 1), 10 ** random.uniform(-6, 0)]))
        y = float(round(trials * p + random.uniform(-15, 15) * (trials * p * (1 - p)) ** 0.5))
        if 0 <= y < trials and 0 < p < 1:
            tails = beta_at_fraction(y + 1, trials - y, p)
            if representable(tails):
                rows.append(((y, trials, p), (tails[1], tails[0])))
    group("binomial", ["y", "trials", "p"], ["cdf", "sf"], rows)
    rows = []
    for _ in range(300):
        mean, theta = log_uniform(-2, 5), log_uniform(-2, 6)
        deviation = (mean + mean * mean / theta) ** 0.5
        y = max(0.0, float(round(mean + random.uniform(-3, 12) * deviation)))
        tails = neg_binomial_lower(y, mean, theta)
        if representable(tails):
            rows.append(((y, mean, theta), tails[:2]))
    group("neg_binomial", ["y", "mean", "theta"], ["cdf", "sf"], rows)


def neg_binomial_lower(y, mean, theta):
    def x():
        return mpf(theta) / (mpf(theta) + mpf(mean))

    def rest():
        return mpf(mean) / (mpf(theta) + mpf(mean))

    return beta_both(theta, y + 1, x, rest)


def student_both(t, dof):
    """Upper tail, central mass and density times t, at t > 0."""

    def x():
        return mpf(dof) / (mpf(dof) + mpf(t) ** 2)

    def y():
        return mpf(t) ** 2 / (mpf(dof) + mpf(t) ** 2)

    tails = beta_both(mpf(dof) / 2, mpf(1) / 2, x, y)
    return tails and (tails[0] / 2, tails[1] / 2, tails[2])


def student_pick():
    dof = random.choice([log_uniform(-2, 1), log_uniform(0, 4), log_uniform(4, 10)])
    kind = random.random()
    if kind < 0.3:
        t = log_uniform(-15, 0)
    elif kind < 0.8:
        t = number(random.uniform(0, 40))
    else:
        t = log_uniform(1, min(150, 280 / dof) if dof < 100 else 1.5)
    return (t, dof) if t > 0 else None


def student_groups():
    points = spread_points(700, student_pick, student_both)
    rows = [((t, dof), (mpf(1) / 2 + c, s)) for (t, dof), (s, c, _) in points]
    group("student_t", ["t", "dof"], ["cdf", "sf"], rows)
    rows = []
    for (t, dof), (tail, central, slope) in points:
        if tail / slope < 1e4:
            p = float(tail)
            value = -moved_quantile(mpf(t), tail, -slope, mpf(p))
            rows.append(((p, dof), (value, abs(value) * (1 + mpf(p) / slope))))
        p = float(mpf(1) / 2 + central)
        rest = mpf(p) - mpf(1) / 2
        if p < 1 and rest > 0 and abs(rest / central - 1) < mpf("1e-9"):
            value = moved_quantile(mpf(t), central, slope, rest)
            if abs(rest - central) < mpf("1e-15") * slope:
                rows.append(((p, dof), (value, abs(value) * (1 + mpf(p) / slope))))
    group("student_t_quantile", ["p", "dof"], ["t"], rows, scaled=True)


def f_both(f, dof1, dof2):
    def total():
        return mpf(dof1) * mpf(f) + mpf(dof2)

    return beta_both(mpf(dof1) / 2, mpf(dof2) / 2, lambda: mpf(dof1) * mpf(f) / total(), lambda: mpf(dof2) / total())


def f_pick():
    dof1, dof2 = log_uniform(-1, 4), log_uniform(-1, 4)
    return (log_uniform(-3, 3) if random.random() < 0.5 else number(random.uniform(0, 5)), dof1, dof2)


def f_groups():
    points = spread_points(350, f_pick, f_both)
    group("f", ["f", "dof1", "dof2"], ["cdf", "sf"], [(args, t[:2]) for args, t in points])
    lower, upper = quantile_rows(points, lambda f, d, e: mpf(f), -1)
    group(
        "f_quantile",
        ["p", "dof1", "dof2"],
        ["f"],
        [((p, a[1], a[2]), (x, s)) for a, p, x, s in lower],
        scaled=True,
    )
    group(
        "f_upper_quantile",
        ["q", "dof1", "dof2"],
        ["f"],
        [((p, a[1], a[2]), (x, s)) for a, p, x, s in upper],
        scaled=True,
    )


# positive distributions ------------------------------------------------------------


def inverse_gaussian_pick():
    mean, shape = log_uniform(-3, 3), log_uniform(-3, 4)
    spread = (mean / shape) ** 0.5
    ratio = (
        10 ** random.uniform(-2, 2.5)
        if random.random() < 0.4
        else 2.718281828 ** min(30.0, spread * random.uniform(-8, 12))
    )
    return (number(mean * ratio), mean, shape) if 1e-12 < ratio < 1e8 and mean / shape > 1e-5 else None


def tweedie_rows():
    rows = []
    while len(rows) < 300:
        power = number(random.uniform(1.01, 1.99), 5)
        mu, phi = log_uniform(-2, 3), log_uniform(-3, 2)
        rate = mu ** (2 - power) / (phi * (2 - power))
        shape = (2 - power) / (power - 1)
        if rate > (3e5 if len(rows) % 20 == 0 else 300):
            continue
        spread = ((1 + 1 / shape) / rate) ** 0.5
        y = number(mu * 2.718281828 ** (min(spread, 3) * random.uniform(-4, 4)))
        with mp.workdps(50):
            value, _ = tweedie(y, mu, phi, power)
        rows.append(((y, mu, phi, power), (value,)))
    return rows


def main():
    elementary_groups()
    gamma_groups()
    beta_groups()
    student_groups()
    f_groups()
    points = spread_points(400, inverse_gaussian_pick, inverse_gaussian_both)
    group("inverse_gaussian", ["x", "mean", "shape"], ["cdf", "sf"], points)
    group("tweedie_log_density", ["y", "mu", "phi", "power"], ["log_density"], tweedie_rows())
    body = {"tool": f"mpmath {__import__('mpmath').__version__}", "groups": groups}
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(body, indent=0) + "\n")
    print(path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
