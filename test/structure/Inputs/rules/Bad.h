#ifndef OTHER_GUARD
#define OTHER_GUARD
#include "mlir/Conversion/Passes.h"
#endif
