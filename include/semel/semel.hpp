#pragma once
#include "semel/client.hpp"
#include "semel/combine.hpp"
#include "semel/error.hpp"
#include "semel/json.hpp"
#include "semel/worker.hpp"
#include "semel/workflow.hpp"
#include "semel/workflow_context.hpp"
