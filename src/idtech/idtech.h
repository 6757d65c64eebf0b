/* Formats of id Tech, the engines of Quake (MDL, MD2, MD3) and Doom 3 (MD5), and IQM, which engines made of these read. */
#pragma once

#include "model/format.h"

extern const struct model_format md2_format, md3_format, md3_player_format, md5_format, mdl_format, iqm_format;
