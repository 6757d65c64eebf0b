/* The formats of id Tech, Quake's engine and those that follow, and of what plays beside them: IQM. */
#pragma once

#include "model/format.h"

extern const struct model_format md2_format, md3_format, md3_player_format, md5_format, mdl_format, iqm_format;
