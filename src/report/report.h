// Front header: answer values to text, JSON, CSV and Markdown. Pure functions.
#pragma once

#include "report/size.h"
