#include "tests/support/json.hpp"

SEMEL_JSON_TEMPLATES()
