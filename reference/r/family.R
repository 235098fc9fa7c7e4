# Writes family.json: R's links, variances, deviance residuals and log densities on grids.
# Run: Rscript family.R   (in this folder; R 4.2, packages MASS 7.3 and statmod 1.5)
suppressPackageStartupMessages({
  library(MASS)
  library(statmod)
})

text <- function(x) ifelse(is.finite(x), sprintf("%.17g", x), paste0("\"", tolower(as.character(x)), "\""))
array_of <- function(x) paste0("[", paste(text(x), collapse = ","), "]")
object_of <- function(parts) paste0("{", paste0("\"", names(parts), "\":", unlist(parts), collapse = ",\n  "), "}")

# Links. Predictors stay where R does not clamp: its logit stops at 30, its probit and cauchit near 8 and 1e15, and
# the slope of its complementary log-log at 700.
link_of <- function(name, link, eta) {
  mu <- link$linkinv(eta)
  object_of(list(name = paste0("\"", name, "\""), eta = array_of(eta), mu = array_of(mu),
                 slope = array_of(link$mu.eta(eta)), mu_in = array_of(signif(mu, 6)),
                 eta_out = array_of(link$linkfun(signif(mu, 6)))))
}
real <- c(-6.5, -3.2, -1.1, -0.25, 0.125, 0.7, 1.9, 3.3)
positive <- c(0.02, 0.25, 0.7, 1, 1.9, 3.3, 12.5, 900)
links <- c(
  link_of("identity", make.link("identity"), c(real, 50)),
  link_of("log", make.link("log"), c(real, -20, 20)),
  link_of("logit", make.link("logit"), c(real, -25, 5.5)),
  link_of("probit", make.link("probit"), real),
  link_of("cloglog", make.link("cloglog"), c(real[1:7], -25)),
  link_of("cauchit", make.link("cauchit"), c(real, -90, 40)),
  link_of("inverse", make.link("inverse"), c(-2.5, positive)),
  link_of("inverse_square", make.link("1/mu^2"), positive),
  link_of("sqrt", make.link("sqrt"), positive),
  link_of("power(2)", power(2), positive),
  link_of("power(0.3)", power(0.3), positive)
)

# Families: the variance, R's dev.resids at weight 1, and log densities at the dispersion given.
family_of <- function(name, parameter, family, y, mu, log_density, phi = 1, w = 1) {
  grid <- expand.grid(y = y, mu = mu, phi = phi, w = w)
  grid <- grid[order(grid$y, grid$mu), ]
  density <- if (is.null(log_density)) list() else {
    list(log_density = array_of(log_density(grid$y, grid$mu, grid$phi, grid$w)))
  }
  deviance <- family$dev.resids(grid$y, grid$mu, rep(1, nrow(grid)))
  object_of(c(list(name = paste0("\"", name, "\""), parameter = text(parameter), y = array_of(grid$y),
                   mu = array_of(grid$mu), phi = array_of(grid$phi), w = array_of(grid$w),
                   variance = array_of(family$variance(grid$mu)), deviance = array_of(deviance)), density))
}
counts <- c(0, 1, 2, 7, 45, 300)
sizes <- c(0.05, 0.7, 3.5, 40, 310)
reals <- c(0.02, 0.4, 1.5, 6, 90)
shares <- c(0, 0.2, 0.4, 0.8, 1)
# dgamma by its shape and rate; the inverse Gaussian by its formula, as base R has none.
gamma_density <- function(y, mu, phi, w) w * dgamma(y, shape = 1 / phi, rate = 1 / (phi * mu), log = TRUE)
inverse_density <- function(y, mu, phi, w) -w * (log(2 * pi * phi * y^3) + ((y - mu) / mu)^2 / (phi * y)) / 2
binomial_density <- function(y, mu, phi, w) dbinom(round(w * y), round(w), mu, log = TRUE)
families <- c(
  family_of("gaussian", 0, gaussian(), c(-12, -0.3, 0, 2.5), c(-3, 0.1, 2.5, 30),
            function(y, mu, phi, w) dnorm(y, mu, sqrt(phi / w), log = TRUE), c(0.3, 2.5), c(1, 4)),
  family_of("binomial", 0, binomial(), shares, c(1e-9, 0.03, 0.2, 0.55, 0.999), binomial_density, 1, c(5, 60)),
  family_of("poisson", 0, poisson(), counts, sizes, function(y, mu, phi, w) w * dpois(y, mu, log = TRUE), 1, c(1, 3)),
  family_of("gamma", 0, Gamma(), reals, sizes, gamma_density, c(0.3, 2.5), c(1, 3)),
  family_of("inverse_gaussian", 0, inverse.gaussian(), reals, sizes, inverse_density, c(0.3, 2.5), c(1, 3)),
  unlist(lapply(c(0.4, 1.7, 40), function(theta) {
    family_of("negative_binomial", theta, negative.binomial(theta), counts, sizes,
              function(y, mu, phi, w) w * dnbinom(y, size = theta, mu = mu, log = TRUE), 1, c(1, 3))
  })),
  unlist(lapply(c(1.1, 1.5, 1.9), function(power) {
    family_of("tweedie", power, tweedie(var.power = power, link.power = 0), c(0, reals), sizes, NULL)
  })),
  family_of("quasipoisson", 0, quasipoisson(), c(0, reals), sizes, NULL),
  family_of("quasibinomial", 0, quasibinomial(), shares, c(0.03, 0.2, 0.55, 0.999), NULL)
)
version <- paste0("{\"r\":\"", getRversion(), "\",\"mass\":\"", packageVersion("MASS"), "\",\"statmod\":\"",
                  packageVersion("statmod"), "\"}")
writeLines(paste0("{\"versions\":", version, ",\n\"links\":[", paste(links, collapse = ",\n"), "],\n\"families\":[",
                  paste(families, collapse = ",\n"), "]}"), "family.json")
