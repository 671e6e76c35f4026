// Front header: answer values to text, JSON, CSV and Markdown. Pure functions.
#pragma once

#include "report/against.h"
#include "report/claims.h"
#include "report/gpus.h"
#include "report/offers.h"
#include "report/pipeline.h"
#include "report/runs_on.h"
#include "report/models.h"
#include "report/size.h"
