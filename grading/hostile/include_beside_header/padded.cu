#include "lab.h"
#include <../solutions/03_padded/padded.cu>
