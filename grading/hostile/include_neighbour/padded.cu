#include "../neighbour/padded.cu"
