// Front header of the floor below all others.
#pragma once

#include "base/checked.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/figure.h"
#include "base/printable.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/units.h"
