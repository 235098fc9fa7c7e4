# tiny JSON writer, 17 significant digits
.num <- function(v) ifelse(is.na(v) & !is.nan(v), '"NA"', ifelse(is.nan(v), '"NaN"', ifelse(is.infinite(v), ifelse(v>0,'"Inf"','"-Inf"'), sprintf("%.17g", v))))
.esc <- function(s) paste0('"', gsub('\n',' ', gsub('"','\\\\"', gsub('\\\\','\\\\\\\\', s))), '"')
tojson <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x)) {
    if (!is.null(names(x))) return(paste0("{", paste(sprintf('%s: %s', .esc(names(x)), vapply(x, tojson, "")), collapse=", "), "}"))
    return(paste0("[", paste(vapply(x, tojson, ""), collapse=", "), "]"))
  }
  if (is.matrix(x)) return(paste0("[", paste(apply(x,1,function(r) paste0("[",paste(.num(as.numeric(r)),collapse=", "),"]")), collapse=", "), "]"))
  if (is.factor(x)) x <- as.character(x)
  if (!is.null(names(x)) && length(x) >= 1 && !is.character(x)) {
    x2 <- as.list(unname(x)); names(x2) <- make.unique(names(x)); return(tojson(x2)) }
  v <- if (is.character(x)) .esc(x) else if (is.logical(x)) ifelse(is.na(x),'"NA"',ifelse(x,"true","false")) else .num(as.numeric(x))
  if (length(v)==1) v else paste0("[", paste(v, collapse=", "), "]")
}
wj <- function(x, f="truth.json") cat(tojson(x), "\n", file=f)
