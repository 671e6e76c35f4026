// Vision and audio towers beside a language model.
#include "model/families/all.h"

namespace steelyard::model {

void read_towers(Draft&) {}

}  // namespace steelyard::model
