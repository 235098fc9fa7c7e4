"""Sums behind special.py: incomplete gamma and beta functions, the inverse Gaussian and the Tweedie density.

The incomplete functions are series of positive terms in exact fixed point.
"""

from mpmath import mp, mpf


def fixed(value, bits):
    return int(mp.floor(mp.ldexp(value, bits)))


def positive_series(ratio):
    """1 + r_1 + r_1 r_2 + ..., r_n = ratio(n) a pair of integers, in fixed point of the current precision."""
    bits = mp.prec + 40
    term = total = 1 << bits
    n = 1
    while term:
        top, bottom = ratio(n)
        term = term * top // bottom
        total += term
        n += 1
        # A falling term this far below the sum ends the series: all later ratios are smaller.
        if top < bottom and term < (total >> (mp.prec + 20)) * (bottom - top) // bottom:
            break
    return mp.ldexp(mpf(total), -bits)


def scaled_integers(*values):
    """The values times one common power of two, as integers, and that power."""
    parts = [mpf(v)._mpf_ for v in values]
    low = min([p[2] for p in parts] + [0])
    return [int(p[1]) << (p[2] - low) for p in parts], 1 << -low


def more_digits(compute):
    """Both tails, the small one to 40 digits whatever its size."""
    for digits in (60, 380):
        with mp.workdps(digits):
            lower, slope = compute()
            upper = 1 - lower
            if min(abs(lower), abs(upper)) > mpf(10) ** (40 - digits):
                return +lower, +upper, +slope
    return None


def gamma_both(a, x):
    """P, Q and x^a e^-x / Gamma(a)."""

    def compute():
        shape, point = mpf(a), mpf(x)
        density = mp.exp(shape * mp.log(point) - point - mp.loggamma(shape))
        (shape_i, point_i), one = scaled_integers(shape, point)
        return density / shape * positive_series(lambda n: (point_i, shape_i + n * one)), density

    return more_digits(compute)


def beta_both(a, b, x, y):
    """I, 1 - I and x^a y^b / B(a, b) at x(), y() which give the exact point at the current precision."""
    if x() > y():
        upper = beta_both(b, a, y, x)
        return upper and (upper[1], upper[0], upper[2])

    def compute():
        first, second, point = mpf(a), mpf(b), x()
        log_beta = mp.loggamma(first) + mp.loggamma(second) - mp.loggamma(first + second)
        density = mp.exp(first * mp.log(point) + second * mp.log(y()) - log_beta)
        bits = mp.prec + 40
        # A tiny point keeps its digits: its exponent is taken out of the fixed point.
        shift = bits - min(0, mp.mag(point))
        point_i = fixed(point, shift)
        (first_i, total_i), one = scaled_integers(first, first + second)
        series = positive_series(lambda n: ((total_i + (n - 1) * one) * point_i, (first_i + n * one) << shift))
        return density / first * series, density

    return more_digits(compute)


def gamma_both_exact(a, x):
    """As gamma_both, at a point given to the current precision."""
    shape = mpf(a)
    density = mp.exp(shape * mp.log(x) - x - mp.loggamma(shape))
    shift = mp.prec + 40
    point_i = fixed(x, shift)
    (shape_i,), one = scaled_integers(shape)
    lower = density / shape * positive_series(lambda n: (point_i * one, (shape_i + n * one) << shift))
    return lower, 1 - lower, density


def inverse_gaussian_both(x, mean, shape):
    for digits in (80, 420):
        with mp.workdps(digits):
            point, mu, lam = mpf(x), mpf(mean), mpf(shape)
            root = mp.sqrt(lam / point)

            def phi(z):
                return mp.erfc(-z / mp.sqrt(2)) / 2

            lower = phi(root * (point / mu - 1)) + mp.exp(2 * lam / mu) * phi(-root * (point / mu + 1))
            if min(lower, 1 - lower) > mpf(10) ** (40 - digits):
                return +lower, 1 - lower
    return None


def tweedie(y, mu, phi, power):
    """Log density by the Poisson sum of gamma densities, term by term."""
    y, mu, phi, power = mpf(y), mpf(mu), mpf(phi), mpf(power)
    rate = mu ** (2 - power) / (phi * (2 - power))
    shape = (2 - power) / (power - 1)
    scale = phi * (power - 1) * mu ** (power - 1)
    log_rate, log_point = mp.log(rate), mp.log(y / scale)

    def term(j):
        return j * log_rate - mp.loggamma(j + 1) + j * shape * log_point - mp.loggamma(j * shape)

    peak = max(1, int(y ** (2 - power) / (phi * (2 - power))))
    top = term(peak)
    total = mpf(1)
    for direction in (-1, 1):
        j = peak + direction
        while j >= 1:
            part = mp.exp(term(j) - top)
            total += part
            if part < mpf("1e-28") * total:
                break
            j += direction
    return top + mp.log(total) - rate - y / scale - mp.log(y), peak


def tail_quantile(tail):
    """The standard normal quantile of a small lower tail."""
    z = -mp.sqrt(-2 * mp.log(tail))
    for _ in range(60):
        mass = mp.erfc(-z / mp.sqrt(2)) / 2
        step = mp.log(mass / tail) * mass / mp.npdf(z)
        z -= step
        if abs(step) < mpf("1e-40"):
            return z
    raise ArithmeticError("no convergence")
