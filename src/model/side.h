/* The side from which one picture of a model tells the most.
 *
 * Every candidate direction is drawn small, on the CPU and at one scale: which of its pixels the model covers, and
 * where the form turns or steps inside them. A side is worth the area it shows plus the length of those lines. Of all
 * candidates whose worth is near the best's, the one taken is the first in an order of preference: three-quarter views
 * of the front, nearer to the side, the front, the sides, from above, the back, from below. So a figure is seen as a
 * portrait shows it, a rifle from the side, a floor tile from above; and a surface that is drawn from one side only, from
 * that side. The same mesh gives the same side everywhere. */
#ifndef MODEL_SIDE_H
#define MODEL_SIDE_H

#include "model/camera.h"
#include "model/model.h"

/* Sets yaw, pitch and roll. For a model that shows nothing from anywhere, those of the first candidate. */
void side_choose(const struct model *model, const struct mesh *mesh, struct camera *camera);

#endif
