/* config/defaults.yaml as it was when the program was built. */
#ifndef JOB_CONFIG_H
#define JOB_CONFIG_H

#include "base/bytes.h"

/* What marks call it. */
#define CONFIG_BUILT_IN_NAME "(built-in config)"

struct bytes config_built_in(void);

#endif
