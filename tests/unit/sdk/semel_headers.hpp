#pragma once
#include "semel/semel.hpp"
