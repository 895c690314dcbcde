module halfspace

go 1.24
