/* mma.h: tensor cores are not emulated, so there is nothing to declare. */
