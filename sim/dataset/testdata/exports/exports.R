# What R's defaults write of a table with gaps, text with commas and row names.
#
# usage: Rscript exports.R        writes its files beside itself; then /usr/bin/python3 exports.py does
d <- airquality[c(1:14, 32:45), c("Ozone", "Solar.R", "Wind", "Temp")]
d$site <- rep(c("north, upper", "south", "east"), length.out = nrow(d))
d$month <- c(rep("May", 14), rep("June", 14))
write.csv(d, "r.csv")
write.csv2(d, "r2.csv")
write.table(d, "r.txt")
write.table(d, "r.tsv", sep = "\t", quote = FALSE)
cat(R.version.string, "\n", file = "versions.txt")
