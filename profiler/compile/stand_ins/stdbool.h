/* stdbool.h: C++ has bool already. */
