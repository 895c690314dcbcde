# Writes the tables that R itself and its package MASS hold to FOLDER.
# usage: Rscript tables.R FOLDER
suppressMessages(library(MASS))
folder <- commandArgs(TRUE)[1]
write <- function(name, d) write.csv(d, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
write("iris", setNames(iris, c("sepal_length", "sepal_width", "petal_length", "petal_width", "species")))
write("Pima-tr", Pima.tr)
write("Pima-te", Pima.te)
write("crabs", crabs[, c("FL", "RW", "CL", "CW", "BD", "sex", "sp")])
write("fgl", fgl)
write("birthwt", birthwt[, c("age", "lwt", "race", "smoke", "ptl", "ht", "ui", "ftv", "low")])
write("menarche", menarche)
