/* Included before everything else by the Makefile: functions that are not used here. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol atof gets
