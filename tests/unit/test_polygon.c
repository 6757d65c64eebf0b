#include <cglm/cglm.h>

#include "model/polygon.h"
#include "test.h"

enum { MOST_CORNERS = 256 };

static vec3 points[MOST_CORNERS];
static uint32_t corners[MOST_CORNERS], triangles[3 * MOST_CORNERS];

/* Twice the area of the corners, as they are seen from +x. */
static double area_of(const uint32_t *of, uint32_t count)
{
    double area = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *a = points[of[i]], *b = points[of[(i + 1) % count]];
        area += (double)a[1] * b[2] - (double)a[2] * b[1];
    }
    return area;
}

/* Cuts the polygon of these places at each depth, from each corner and in both directions. No triangle may turn against
 * it, so they cover its area and no more. */
static void cut_all_ways(const float (*places)[2], uint32_t count)
{
    for (int way = 0; way < 2; way++)
        for (uint32_t start = 0; start < count; start++) {
            double covered = 0, area;
            for (uint32_t i = 0; i < count; i++) {
                uint32_t from = (start + (way ? count - i : i)) % count;
                glm_vec3_copy((vec3){3, places[from][0], places[from][1]}, points[i]);
                corners[i] = i;
            }
            area = area_of(corners, count);
            polygon_cut((const vec3 *)points, corners, count, triangles);
            for (uint32_t t = 0; t < count - 2; t++) {
                double own = area_of(&triangles[3 * t], 3);
                assert_true(own * area >= -1e-6 * area * area);
                covered += own;
            }
            assert_true(fabs(covered - area) <= 1e-6 * fabs(area));

            polygon_turn((const vec3 *)points, corners, count);
            assert_true(area_of((uint32_t[]){corners[0], corners[1], corners[count - 1]}, 3) * area > 0);
            assert_true(area_of(corners, count) * area > 0);
        }
}

#define CUT(...)                                                                                                  \
    do {                                                                                                          \
        static const float places[][2] = {__VA_ARGS__};                                                           \
        cut_all_ways(places, sizeof places / sizeof *places);                                                     \
    } while (0)

TEST(a_quad_is_cut_from_its_first_corner)
{
    for (uint32_t i = 0; i < 4; i++) {
        glm_vec3_copy((vec3){0, i == 1 || i == 2, i >= 2}, points[i]);
        corners[i] = i;
    }
    polygon_cut((const vec3 *)points, corners, 4, triangles);
    assert_memory_equal(triangles, ((uint32_t[]){0, 1, 2, 0, 2, 3}), 6 * sizeof *triangles);
    polygon_turn((const vec3 *)points, corners, 4);
    assert_int_equal(corners[0], 0);
}

TEST(convex_and_concave_ones_keep_their_area)
{
    CUT({0, 0}, {2, 0}, {3, 1}, {2, 2}, {0, 2});
    CUT({0, 0}, {2, 0}, {0.5f, 0.5f}, {0, 2});
    CUT({0, 0}, {6, 0}, {6, 3}, {5, 3}, {5, 1}, {4, 1}, {4, 3}, {3, 3}, {3, 1}, {2, 1}, {2, 3},
        {0, 3}); /* a comb */
}

TEST(straight_corners_lose_nothing)
{
    CUT({8.4f, 1}, {8.4f, 4.3f}, {8.4f, 8.1f}, {6.3f, 4.2f}, {6.3f, 3.8f}, {2.7f, 3.8f}, {2.3f, 3.8f});
    CUT({0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {3, 2}, {1.5f, 2}, {0, 2}, {0, 1});
    CUT({0, 0}, {0, 0}, {1, 0}, {1, 1}, {1, 1}, {0, 1});
}

TEST(holes_stay_holes)
{
    CUT({0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1});
    CUT({0, 0}, {9, 0}, {9, 3}, {0, 3}, {0, 0}, {1, 1}, {1, 2}, {2, 2}, {4, 1}, {4, 2}, {5, 2}, {5, 1}, {4, 1},
        {2, 2}, {2, 1}, {1, 1}); /* two, the second of which hangs on the first */
    /* Two triangles that touch, and an outline that goes out and back. */
    CUT({1, 6}, {0, 4}, {1, 2}, {1, 3}, {0, 4}, {1, 5});
    CUT({0, 0}, {4, 0}, {4, 2}, {4, 5}, {4, 2}, {0, 2});
}
