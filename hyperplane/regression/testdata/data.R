# The data sets of the regression goldens, from the folder of tables that the
# command line names. They are coded as linalgtest.Table codes them: a text column
# becomes one 0/1 column for each level but the first in byte order.
folder <- commandArgs(TRUE)[1]
read <- function(file, response) {
  d <- read.csv(file.path(folder, file), stringsAsFactors = FALSE)
  y <- d[[response]]
  d[[response]] <- NULL
  cols <- list()
  for (name in names(d)) {
    v <- d[[name]]
    if (is.numeric(v)) cols[[name]] <- v
    else for (l in sort(unique(v), method = "radix")[-1]) cols[[paste0(name, "=", l)]] <- as.numeric(v == l)
  }
  list(x = do.call(cbind, cols), y = as.numeric(y))
}
sets <- list(
  iris = read("iris.csv", "petal_width"),
  crabs = read("crabs.csv", "CW"),
  SAheart = read("SAheart.csv", "ldl"),
  birthwt = read("birthwt.csv", "lwt"))
num <- function(x) ifelse(is.finite(x), sprintf("%.17g", x), "null")
arr <- function(x) paste0("[", paste(num(x), collapse = ", "), "]")
mat <- function(m) paste0("[", paste(apply(m, 1, arr), collapse = ",\n "), "]")
obj <- function(...) {
  a <- list(...)
  paste0("{", paste(sprintf('"%s": %s', names(a), unlist(a)), collapse = ", "), "}")
}
str <- function(s) paste0('"', s, '"')
