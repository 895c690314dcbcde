package path
