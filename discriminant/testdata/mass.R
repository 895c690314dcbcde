# Goldens of MASS::lda and MASS::qda on data sets, scaled and shifted copies included.
# usage: Rscript mass.R TABLES > mass.json
#
# Scaling and shifting are done on the doubles in the files, so another program makes the same
# input bits. A shift rounds the data; lda() is then run on the shifted data less the shift,
# which is exact, so that R sees the same rounded data and its own arithmetic loses nothing.
suppressMessages(library(MASS))
dir <- commandArgs(TRUE)[1]
num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ","), "]")
rows <- function(m) paste0("[", paste(apply(m, 1, num), collapse = ","), "]")
few <- function(m, step) paste0("[", paste(apply(m[seq(1, nrow(m), step), , drop = FALSE], 1, function(v)
  paste0("[", paste(sprintf("%.13g", v), collapse = ","), "]")), collapse = ","), "]")
read <- function(file, label, drop = NULL) {
  d <- read.csv(file.path(dir, file), check.names = FALSE)
  g <- factor(d[[label]]); lev <- sort(levels(g), method = "radix")
  x <- d[, setdiff(names(d), c(label, drop))]
  num <- sapply(x, is.numeric)
  y <- list(); for (n in names(x)) if (num[n]) y[[n]] <- x[[n]] else {
    l <- sort(unique(x[[n]]), method = "radix"); for (v in l[-1]) y[[paste0(n, v)]] <- as.numeric(x[[n]] == v) }
  list(x = as.matrix(as.data.frame(y)), g = factor(as.character(g), levels = lev))
}
one <- function(name, tr, te, qda, scale = 1, shift = 0) {
  step <- if (scale == 1 && shift == 0) 1 else 7
  x <- (tr$x * scale + shift) - shift; z <- (te$x * scale + shift) - shift; g <- tr$g
  l <- lda(x, g, tol = 1e-12); p <- predict(l, z); p1 <- predict(l, z, dimen = 1)
  cat('{"name":"', name, '","scale":', sprintf("%.17g", scale), ',"shift":', sprintf("%.17g", shift), ',"step":', step, ',\n"svd":', num(l$svd), ',\n"scaling":', rows(l$scaling),
    ',\n"class":', num(as.integer(p$class) - 1), ',\n"posterior":', few(p$posterior, step), ',\n"x":', few(p$x, step),
    ',\n"posterior1":', few(p1$posterior, step), sep = "")
  if (qda) { q <- qda(x, g); r <- predict(q, z)
    cat(',\n"qda_class":', num(as.integer(r$class) - 1), ',\n"qda_posterior":', few(r$posterior, step), sep = "") }
  cat('}')
}
crabs <- read("crabs.csv", "sp"); iris <- read("iris.csv", "species")
pt <- read("Pima-tr.csv", "type"); pe <- read("Pima-te.csv", "type"); fgl <- read("fgl.csv", "type")
cat('{"tool":"R ', as.character(getRversion()), ', MASS ', as.character(packageVersion("MASS")), '","sets":[\n', sep = "")
one("iris", iris, iris, TRUE); cat(",\n")
one("iris", iris, iris, TRUE, 1e6); cat(",\n"); one("iris", iris, iris, TRUE, 1, 1e8); cat(",\n")
one("crabs", crabs, crabs, TRUE); cat(",\n"); one("crabs", crabs, crabs, TRUE, 1e6); cat(",\n"); one("crabs", crabs, crabs, TRUE, 1, 1e8); cat(",\n")
one("pima", pt, pe, TRUE); cat(",\n"); one("pima", pt, pe, TRUE, 1e6); cat(",\n"); one("pima", pt, pe, TRUE, 1, 1e8); cat(",\n")
one("fgl", fgl, fgl, FALSE); cat(",\n"); one("fgl", fgl, fgl, FALSE, 1e6); cat(",\n"); one("fgl", fgl, fgl, FALSE, 1, 1e8)
cat("]}\n")
