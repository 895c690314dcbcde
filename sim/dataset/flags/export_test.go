package flags

// Forget forgets the tables that were read.
func Forget() { held.Store(nil) }
