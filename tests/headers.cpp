// Only so that the headers of all tests have a target to be compiled in.
