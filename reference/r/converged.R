# Writes converged.json: cases whose answer R's stopping rule leaves short of a tolerance, iterated until nothing moves.
# Run: Rscript converged.R   (in this folder; R 4.2, package MASS 7.3)
#
# summary.glm takes its covariance from the iteration before the last, glm stops on the deviance, which is flat at the
# maximum, and theta.ml stops when theta moves by less than 1e-4: standard errors lag behind coefficients.
suppressPackageStartupMessages(library(MASS))

text <- function(x) ifelse(is.finite(x), sprintf("%.17g", x), "null")
array_of <- function(x) paste0("[", paste(text(as.vector(x)), collapse = ","), "]")
object_of <- function(parts) paste0("{", paste0("\"", names(parts), "\": ", unlist(parts), collapse = ",\n  "), "}")

data_of <- function(name, factors = character()) {
  d <- read.csv(file.path("data", paste0(name, ".csv")))
  for (f in factors) d[[f]] <- factor(d[[f]], levels = unique(sort(d[[f]])))
  d
}

# Each fit starts from the last one; at a fixed point its covariance is that of its coefficients.
settle <- function(fit, rounds = 60) {
  for (i in seq_len(rounds)) fit <- update(fit, start = coef(fit), control = glm.control(epsilon = 1e-8, maxit = 1))
  fit
}

told <- function(m, more = character()) {
  s <- summary(m)
  object_of(c(
    coef = array_of(coef(m)), se = array_of(s$coefficients[, 2]), vcov = array_of(vcov(m)),
    fitted = array_of(fitted(m)), linear_predictor = array_of(m$linear.predictors), hat = array_of(hatvalues(m)),
    cooks_distance = array_of(cooks.distance(m)), rstandard_deviance = array_of(rstandard(m)),
    rstudent = array_of(rstudent(m)), dispersion_summary = text(s$dispersion),
    max_abs_score = text(max(abs(crossprod(model.matrix(m), m$weights * residuals(m, "working"))))),
    more
  ))
}

quiet <- function(expression) suppressWarnings(expression)
air <- data_of("airquality")
cpus <- data_of("cpus")
birth <- data_of("birthwt", c("smoke", "ht"))
ucb <- data_of("UCBAdmissions", "Dept")
ucb$Gender <- factor(ucb$Gender, levels = c("Male", "Female"))
quine <- data_of("quine", c("Eth", "Sex", "Age", "Lrn"))

glms <- quiet(list(
  glm_gamma_log_airquality = settle(glm(Ozone ~ Solar.R + Wind + Temp, data = air, family = Gamma(link = "log"))),
  glm_gamma_weights_cpus = settle(glm(perf ~ log(mmax) + cach, weights = chmax + 1, data = cpus, family = Gamma(link = "log"))),
  glm_ig_canonical_clotting = settle(glm(lot1 ~ log(u), data = data_of("clotting"), family = inverse.gaussian())),
  glm_log_binomial_birthwt = settle(glm(low ~ smoke + ht, data = birth, family = binomial(link = "log"), start = c(-1, 0, 0))),
  glm_logit_UCB = settle(glm(Admit == "Admitted" ~ Gender + Dept, weights = Freq, data = ucb, family = binomial())),
  glm_probit_infert = settle(glm(case ~ spontaneous + induced + age + parity, data = data_of("infert"), family = binomial(link = "probit"))),
  glm_quasi_mu2_cpus = settle(glm(perf ~ log(mmax) + log(cach + 1) + syct, data = cpus, family = quasi(link = "log", variance = "mu^2")))
))

# theta and its standard error at the means of glm.nb.
theta_of <- function(formula) {
  m <- glm.nb(formula, data = quine, control = glm.control(epsilon = 1e-14, maxit = 200))
  theta <- theta.ml(quine$Days, fitted(m), limit = 200, eps = 1e-13)
  object_of(c(theta = text(as.vector(theta)), theta_se = text(attr(theta, "SE"))))
}

thetas <- quiet(c(nb_quine = theta_of(Days ~ Sex + Age + Eth + Lrn), nb_quine_full = theta_of(Days ~ Sex/(Age + Eth * Lrn))))

writeLines(object_of(c(sapply(glms, told), thetas)), "converged.json")
