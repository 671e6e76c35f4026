// Front header of the ports to the outside world.
#pragma once

#include "os/files.h"
#include "os/http.h"
