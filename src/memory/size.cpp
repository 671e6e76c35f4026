#include "memory/memory.h"

namespace steelyard::memory {}
