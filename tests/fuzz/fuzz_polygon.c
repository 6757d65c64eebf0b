/* A polygon whose corners are pairs of bytes, so that many lie on each other and on straight lines: it is cut into triangles of
 * its corners, which together have its area. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/polygon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_CORNERS = 96 };

static double area_of(const vec3 *points, const uint32_t *corners, uint32_t count)
{
    double area = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *a = points[corners[i]], *b = points[corners[(i + 1) % count]];
        area += (double)a[0] * b[1] - (double)a[1] * b[0];
    }
    return area;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static vec3 points[MOST_CORNERS];
    uint32_t corners[MOST_CORNERS], triangles[3 * MOST_CORNERS];
    uint32_t count = (uint32_t)(size / 2 < MOST_CORNERS ? size / 2 : MOST_CORNERS);
    double covered = 0;
    if (count < 3)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        points[i][0] = data[2 * i];
        points[i][1] = data[2 * i + 1];
        corners[i] = i;
    }
    polygon_cut((const vec3 *)points, corners, count, triangles);
    for (uint32_t i = 0; i < 3 * (count - 2); i++)
        if (triangles[i] >= count)
            abort();
    for (uint32_t i = 0; i < count - 2; i++)
        covered += area_of((const vec3 *)points, &triangles[3 * i], 3);
    double area = area_of((const vec3 *)points, corners, count);
    if (fabs(covered - area) > 1e-3)
        abort();
    polygon_turn((const vec3 *)points, corners, count);
    if (fabs(area_of((const vec3 *)points, corners, count) - area) > 1e-3)
        abort();
    return 0;
}
