/* For host code, which is not compiled. */
