#include "model/blocks.h"

namespace steelyard::model {

void emit_recurrent(Draft&, const Layer&) {}

}  // namespace steelyard::model
