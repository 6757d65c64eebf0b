/* Painting textures: the canvas of a coat, and the brushes that painters of parts use. */
#ifndef GENERATOR_PAINT_H
#define GENERATOR_PAINT_H

#include <stdint.h>

#include "figure.h"

struct canvas {
    int size;
    uint8_t *color;  /* size * size RGB, sRGB */
    uint8_t *normal; /* the same for tangent-space normals: red along +s, green along -t (up), blue outwards */
};

/* Asks the painter of each part about each of its texels, and about a margin around it, so that filtering and
 * mip levels find no edge at the seam. */
void canvas_paint(struct canvas *canvas, const struct figure *figure, int coat);
void canvas_release(struct canvas *canvas);

/* Colours as they are written in HTML. */
struct v3 color(uint32_t rgb);
struct v3 shade(struct v3 color, double factor); /* darker below 1, lighter above */

/* Lays `over` on the paint where `distance` (in units, negative inside) is below 0, with a soft edge. */
double cover(double distance, double softness);
void lay(struct paint *paint, struct v3 over, double coverage);

/* A groove of that width and depth along distance 0, darkened at its ground. */
void groove(struct paint *paint, double distance, double width, double depth);

/* A plate: raised by `height` inside, with a bevelled edge and a dark line around it. */
void plate(struct paint *paint, struct v3 over, double distance, double height);

/* Applies the ambient light, cool in the shade, and a little more from above. Last, over everything else. */
void shadow(struct paint *paint, const struct texel *texel, double strength);

/* Distances to shapes in a plane: negative inside. */
double in_circle(double x, double y, double radius);
double in_box(double x, double y, double half_width, double half_height, double rounding);
double in_stroke(double x, double y, double x0, double y0, double x1, double y1, double width);
double in_seven(double x, double y, double height); /* the digit, centred, x to the right and y up */

/* Smooth noise about -1..1, and the distance to the nearest of scattered points (0..about 1). */
double noise(struct v3 p);
double scatter(struct v3 p);

#endif
