package supervisor

// isSupervisor tells whether a command line is a supervisor's.
func isSupervisor(argv []string) bool { return len(argv) > 1 && argv[1] == Verb }
