# Writes formula.json: R's model matrix, response, offset and assign for many formulas over one small mixed frame.
# Run: Rscript formula.R   (in this folder; R 4.2, packages stats and splines)
suppressPackageStartupMessages(library(splines))
# Strings sort by code point, whatever the locale of the machine.
invisible(Sys.setlocale("LC_COLLATE", "C"))
options(contrasts = c("contr.treatment", "contr.poly"))

n <- 24
i <- seq_len(n)
frame <- data.frame(
  y = round(3 + sin(i) * 2 + i / 7, 3),
  k = (i * 7) %% 5,
  m = 6 + (i * 3) %% 4,
  x = round(0.4 + ((i * 37) %% 24) / 5 + i / 100, 3),
  z = round(1.5 + cos(i * 1.7) * 1.2, 4),
  q = ifelse(i %in% c(3, 11), NA, round(sqrt(i), 3)),
  check.names = FALSE
)
frame[["a b"]] <- round(exp(-i / 9), 4)
frame$g <- factor(c("a", "b", "c")[1 + (i * 5) %% 3], levels = c("a", "b", "c"))
frame$h <- factor(c("u", "v", "w", "x", "y", "z")[1 + (i * i + i %/% 5) %% 6], levels = c("z", "u", "v", "w", "x", "y"))
frame$o <- factor(c("lo", "mid", "hi", "top", "max")[1 + (i * 3 + i %/% 7) %% 5],
                  levels = c("lo", "mid", "hi", "top", "max"), ordered = TRUE)
frame$b <- (i %% 3 == 0) | (i %% 5 == 0)
frame$s <- c("B", "a", "A", "10", "9")[1 + (i * 2 + i %/% 3) %% 5]
frame$e <- factor(ifelse(i == 11, "only", ifelse(i %% 2 == 0, "even", "odd")), levels = c("odd", "only", "even", "never"))
frame$f <- factor(ifelse(i == 5, NA, c("p", "r")[1 + i %% 2]), levels = c("p", "r"))
frame[["g h"]] <- factor(c("one", "two")[1 + (i %/% 4) %% 2])

formulas <- c(
  "y ~ x", "y ~ x + z", "y ~ 1", "y ~ 0 + x", "y ~ x - 1", "y ~ g", "y ~ g - 1", "y ~ 0 + g + h", "y ~ x + g - 1",
  "y ~ h", "y ~ h - 1", "y ~ g + h", "y ~ g * h", "y ~ g:h", "y ~ g:h - 1", "y ~ x:g", "y ~ x + x:g", "y ~ g + x:g",
  "y ~ x * g", "y ~ g / x", "y ~ g / h", "y ~ x / g", "y ~ (g + b)^2", "y ~ (g + b + x)^3 - g:b:x", "y ~ g * b - g:b",
  "y ~ g * b - g", "y ~ b:g + g", "y ~ h %in% g", "y ~ g + h %in% g", "y ~ (x + z) / g", "y ~ b", "y ~ b - 1",
  "y ~ b:x", "y ~ !b", "y ~ x > 2", "y ~ (x > 2 & z < 2) + b", "y ~ s", "y ~ s - 1", "y ~ s * x", "y ~ o", "y ~ o - 1",
  "y ~ o * b", "y ~ o:x", "y ~ g * o", "y ~ I(x^2)", "y ~ x + I(x^2) + I(2*z)", "y ~ I((x+z)/2) + I(-x)",
  "y ~ log(x)", "y ~ log(x + 1) + exp(-z)", "y ~ sqrt(x) + abs(z-1) + log2(x) + log10(x) + log1p(x) + expm1(z)",
  "y ~ sin(x) + cos(x) + tan(z/9) + floor(x) + ceiling(z) + round(x, 1) + round(z)", "y ~ pmin(x, z) + pmax(x, 2, z)",
  "y ~ ifelse(x > 2, x, 0) + ifelse(g == \"a\", 1, -1)", "y ~ I(x %% 2) + I(k %/% 2)", "y ~ x %% 2",
  "y ~ I(g == 'b') + (h != \"u\")", "y ~ I(b | x > 3)", "y ~ factor(k)", "y ~ factor(k) * x", "y ~ factor(x > 2)",
  "y ~ factor(g, levels = c(\"c\", \"a\", \"b\"))", "y ~ factor(k, labels=c('k0','k1','k2','k3','k4'))",
  "y ~ ordered(g)", "y ~ ordered(k)", "y ~ factor(s)", "y ~ unclass(o) + as.numeric(g)", "y ~ as.factor(k):x",
  "y ~ C(g, contr.treatment, base = 2)", "y ~ C(g, base=3)", "y ~ C(h, contr.sum)", "y ~ C(g, sum) * x", "y ~ C(g, contr.helmert)",
  "y ~ C(h, contr.poly)", "y ~ C(g, \"contr.treatment\") + C(h, SAS)", "y ~ C(h, contr.poly, 2)", "y ~ C(o, contr.treatment)",
  "y ~ C(g, contr.treatment(3, base = 2)) * b", "y ~ C(g, contr.sum):x - 1", "y ~ relevel(g, ref = \"b\") + x",
  "y ~ relevel(h, 'w') - 1", "y ~ poly(x, 3)", "y ~ poly(x, degree = 2, raw = TRUE)", "y ~ poly(x, 1)", "y ~ poly(z, 5):g",
  "y ~ poly(x, 2) * b", "y ~ scale(x) + scale(z, center = TRUE, scale = FALSE)", "y ~ scale(x, scale=2)", "y ~ scale(x):g",
  "y ~ bs(x, df = 5)", "y ~ bs(x)", "y ~ bs(x, knots = c(2, 3), degree = 2, intercept = TRUE) - 1", "y ~ ns(x, df = 3)", "y ~ ns(z, df = 4) + g",
  "y ~ ns(x, knots = c(1.5, 3), intercept = TRUE) - 1", "y ~ cbind(x, z) + cbind(w = x^2, log(x))",
  "y ~ x + offset(z)", "y ~ offset(log(x)) + offset(2 * z) + g", "y ~ offset(x) - 1 + h", "log(y) ~ x", "y / m ~ x",
  "cbind(k, m) ~ x + g", "cbind(k, m - k) ~ h", "b ~ x", "g == \"a\" ~ x", "I(y^2) ~ x:z", "~ x + g", "~ g:x:b",
  "y ~ `a b` * `g h`", "y ~ log(`a b`)", "`a b` ~ x", "y ~ . - s - q - e - f", "log(y) ~ (x + g + b)^2 + . - s - q - e - f - h",
  "y ~ x**2 + I(x**2)", "y ~ -1 + g + x:g", "y ~ x + 0 + b + g", "y ~ g + 1", "y ~ q", "y ~ q + e", "y ~ e * q",
  "y ~ f", "y ~ f - 1", "y ~ f:q", "y ~ e + f", "y ~ scale(q) + f", "y ~ is.na(q) + x", "y ~ log(q) * h", "y ~ e:x + q",
  "y ~ 1 + (x + (g + b):z)", "y ~ x:g + g:b + b", "y ~ (b + g):x + g:x:b", "y ~ I(1e5 * x) + I(x + 1e-5) + I(x * 123456.5)",
  "y ~ I(0.1 * x) + I(x / 3L)", "y ~ I(x - mean(x)) + I(x / sd(z))", "y ~ x + x:z + z:x", "y ~ (x + z)^2:g", "y ~ g:x + g:z - 1"
)

# New data beyond the range of the frame, with the levels in another order, for what remembers its training data.
new <- frame[c(2, 7, 9, 20), c("x", "z", "k", "g", "h", "o", "b", "s")]
new$x <- c(-1, 2.2, 7.5, 40)
new$z <- c(0.1, 1.4, 3.9, 1)
new$g <- factor(as.character(new$g), levels = c("c", "b", "a"))
prediction_formulas <- c(
  "y ~ x * g", "y ~ poly(x, 3) + z", "y ~ poly(z, 4):g", "y ~ scale(x) + scale(z, scale = FALSE)", "y ~ bs(x, df = 5)",
  "y ~ bs(z, knots = c(1, 2), degree = 2)", "y ~ ns(x, df = 3)", "y ~ ns(z, knots = c(1, 2)) * b",
  "y ~ ns(x, df = 4, intercept = TRUE) - 1", "y ~ factor(k) + o", "y ~ s + h - 1", "y ~ relevel(g, ref = \"b\") + C(h, contr.sum)"
)

string <- function(s) {
  if (!length(s)) return(character(0))
  s <- gsub("\\", "\\\\", s, fixed = TRUE)
  paste0("\"", gsub("\"", "\\\"", s, fixed = TRUE), "\"")
}
number <- function(v) ifelse(is.na(v), "null", sprintf("%.17g", v))
array <- function(v) paste0("[", paste(v, collapse = ","), "]")
object <- function(...) {
  fields <- list(...)
  fields <- fields[!vapply(fields, is.null, TRUE)]
  paste0("{", paste0(string(names(fields)), ":", unlist(fields), collapse = ","), "}")
}
column <- function(v) {
  if (is.factor(v)) {
    object(kind = string(if (is.ordered(v)) "ordered" else "factor"), levels = array(string(levels(v))),
           values = array(ifelse(is.na(v), "null", string(as.character(v)))))
  } else if (is.character(v)) {
    object(kind = string("text"), values = array(string(v)))
  } else if (is.logical(v)) {
    object(kind = string("logical"), values = array(ifelse(v, "true", "false")))
  } else {
    object(kind = string("numeric"), values = array(number(v)))
  }
}
case <- function(text) {
  # With the data, so that `.` is expanded once, from the columns of the frame.
  formula <- terms(as.formula(text), data = frame)
  data <- model.frame(formula, frame, drop.unused.levels = TRUE, na.action = na.omit)
  matrix <- model.matrix(formula, data)
  response <- model.response(data)
  offset <- model.offset(data)
  dropped <- attr(data, "na.action")
  rows <- setdiff(i, as.integer(dropped)) - 1
  object(formula = string(text), names = array(string(colnames(matrix))), values = array(number(as.vector(matrix))),
         assign = array(attr(matrix, "assign")), terms = array(string(attr(formula, "term.labels"))),
         rows = array(rows), response = if (!is.null(response)) array(number(as.numeric(response))),
         n_responses = if (!is.null(response)) NCOL(response), offset = if (!is.null(offset)) array(number(offset)))
}
prediction <- function(text) {
  data <- model.frame(as.formula(text), frame, drop.unused.levels = TRUE)
  learnt <- delete.response(terms(data))
  rows <- suppressWarnings(model.frame(learnt, new, xlev = .getXlevels(terms(data), data)))
  contrasts <- attr(model.matrix(terms(data), data), "contrasts")
  matrix <- suppressWarnings(model.matrix(learnt, rows, contrasts.arg = contrasts))
  object(formula = string(text), names = array(string(colnames(matrix))), values = array(number(as.vector(matrix))))
}
cases <- vapply(formulas, case, "")
predictions <- vapply(prediction_formulas, prediction, "")
columns_of <- function(data) {
  array(vapply(names(data), function(name) object(name = string(name), column = column(data[[name]])), ""))
}
writeLines(object(r_version = string(R.version.string), columns = columns_of(frame),
                  cases = paste0("[\n", paste(cases, collapse = ",\n"), "\n]"), new_columns = columns_of(new),
                  predictions = paste0("[\n", paste(predictions, collapse = ",\n"), "\n]")), "formula.json")
