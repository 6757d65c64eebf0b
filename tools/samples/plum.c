#include "plum.h"

#include "motion.h"
#include "paint.h"

const struct plum_colors plum_skins[PLUM_SKINS] = {
    {"plum", 0x6B3DB0, 0x9E68DA, 0xCDA2F7, 0xFFEDB2, 0xFF8A7A, 0xFFC27D, 0xFF6F86, 0xFFF1CF, 0x2FD0B4},
    {"lime", 0x2C7E55, 0x6DBB4F, 0xB7E27A, 0xFFF3C2, 0xFF9C46, 0xFFD277, 0xFFA63D, 0xFFF6DC, 0xF3A623},
};

static const struct v3 EYE = {11.2, 6.9, 44.6};
static const double EYE_RADIUS = 4.9;

/* The wing lies in a plane: along its span, and across from the leading edge back and down. */
static const struct v3 WING_ROOT = {-5.5, 4.5, 29}, WING_SPAN = {-0.42, 0.80, 0.43},
                       WING_ACROSS = {-0.5, 0.19, -0.845};
static const double WING_SIZE = 1.18;

static void add_joints(struct plum *plum)
{
    struct rig *rig = &plum->figure.rig;
    struct plum_joints *j = &plum->joints;
    j->origin = rig_joint(rig, "origin", -1, v3(0, 0, 0));
    j->hips = rig_joint(rig, "hips", j->origin, v3(-4, 0, 15));
    j->chest = rig_joint(rig, "chest", j->hips, v3(0.5, 0, 24));
    j->neck = rig_joint(rig, "neck", j->chest, v3(2.5, 0, 31));
    j->head = rig_joint(rig, "head", j->neck, v3(4, 0, 35.5));
    j->jaw = rig_joint(rig, "jaw", j->head, v3(5.5, 0, 35.5));
    j->eye = rig_pair(rig, "eye_l", "eye_r", j->head, EYE);
    j->fin = rig_pair(rig, "fin_l", "fin_r", j->head, v3(1, 10, 42));
    j->tail = rig_joint(rig, "tail_1", j->hips, v3(-10, 0, 10.5));
    rig_joint(rig, "tail_2", j->tail, v3(-17, 0, 7));
    rig_joint(rig, "tail_3", j->tail + 1, v3(-24, 0, 6.4));
    rig_joint(rig, "tail_4", j->tail + 2, v3(-30, 0, 8.6));
    j->upper_arm = rig_pair(rig, "upper_arm_l", "upper_arm_r", j->chest, v3(4.5, 8, 27));
    j->forearm = rig_pair(rig, "forearm_l", "forearm_r", j->upper_arm, v3(7.5, 12, 23.2));
    j->hand = rig_pair(rig, "hand_l", "hand_r", j->forearm, v3(12, 12.2, 20.6));
    j->thigh = rig_pair(rig, "thigh_l", "thigh_r", j->hips, v3(-3.5, 8, 14.5));
    j->shin = rig_pair(rig, "shin_l", "shin_r", j->thigh, v3(-0.4, 9.6, 9));
    j->foot = rig_pair(rig, "foot_l", "foot_r", j->shin, v3(-2, 9.8, 3.8));
    j->toes = rig_pair(rig, "toes_l", "toes_r", j->foot, v3(4, 10.4, 2));
    j->wing = rig_pair(rig, "wing_l", "wing_r", j->chest, WING_ROOT);
    j->wing_tip =
        rig_pair(rig, "wing_tip_l", "wing_tip_r", j->wing, v3_add_scaled(WING_ROOT, WING_SPAN, 11 * WING_SIZE));
}

static struct paint base(uint32_t rgb)
{
    return (struct paint){color(rgb), 0};
}

static void finish(struct paint *paint, const struct texel *texel, double dark)
{
    double n = noise(v3_scale(texel->p, 0.5)) + 0.5 * noise(v3_scale(texel->p, 1.3));
    paint->color = v3_scale(paint->color, 1 + 0.025 * n);
    shadow(paint, texel, dark);
    /* An MD2 has no other light than what is painted: a little from the sky, a little less from below. */
    double sky = 0.5 + 0.5 * texel->n.z;
    paint->color = v3_scale(paint->color, mix(0.9, 1.07, sky));
}

/* The hide from the back (0) to the side (1), with round spots towards the back. */
static struct paint hide(const struct texel *t, double side)
{
    const struct plum_colors *c = t->colors;
    struct paint out = base(c->body);
    lay(&out, color(c->back), smooth(0.75, 0.05, side));
    struct v3 at = v3_add(v3_scale(v3(t->p.x, fabs(t->p.y), t->p.z), 0.21), v3(0.37, 0.1, 0.6));
    double spot = scatter(at) - 0.27;
    lay(&out, color(c->spots), cover(spot, 0.03) * 0.55 * smooth(0.95, 0.6, side) * smooth(0.02, 0.2, side));
    return out;
}

static struct paint paint_body(const struct texel *t)
{
    const struct plum_colors *c = t->colors;
    double around = fabs(t->u - 0.5) * 2; /* 0 in front of the belly, 1 along the back */
    struct paint out = hide(t, clamp((1 - around) * 1.9, 0, 1));
    double width = CURVE(t->v, {0.0, 0.30}, {0.25, 0.36}, {0.45, 0.44}, {0.62, 0.36}, {0.9, 0.22}, {1, 0.0});
    double edge = (around - width) * 14;
    lay(&out, color(c->belly), cover(edge, 0.35));
    lay(&out, shade(color(c->back), 0.9), 0.55 * smooth(0.9, 0.0, fabs(edge - 0.2)));
    if (edge < 0.3) {
        double plates = t->v * loft_length(&t->part->loft) / 3.4, in = plates - floor(plates);
        lay(&out, shade(color(c->belly), 1.5), 0.5 * smooth(0.75, 0.95, 1 - in) * cover(edge, 0.3));
        lay(&out, v3_mix(color(c->belly), color(0x9A5A3C), 0.55), 0.75 * smooth(0.8, 0.98, in) * cover(edge, 0.3));
        lay(&out, v3_mix(color(c->belly), color(0xF0A060), 0.5), 0.22 * smooth(0.1, 0.9, in) * cover(edge, 0.3));
    }
    finish(&out, t, edge < 0 ? 0.42 : 0.68);
    return out;
}

static struct paint paint_head(const struct texel *t)
{
    const struct plum_colors *c = t->colors;
    struct v3 p = t->p;
    double side = clamp(1.25 - 1.1 * (p.z - 36) / 14, 0, 1);
    struct paint out = hide(t, side);
    /* A paler muzzle, cheeks, nostrils, and the inside of the mouth. */
    double muzzle = (p.x - 14.5) + 0.35 * (41 - p.z);
    lay(&out, v3_mix(color(c->body), color(c->spots), 0.6), 0.8 * smooth(-2, 3, muzzle));
    double cheek = hypot((p.x - 11.5) / 2.6, (p.z - 37.8) / 2.0);
    lay(&out, color(0xFF7E9D), 0.5 * smooth(1.15, 0.5, cheek) * (fabs(p.y) > 4));
    double nostril = hypot((fabs(p.y) - 2.9) / 1.15, (p.z - 40.9) / 0.8);
    lay(&out, shade(color(c->spots), 1.2),
        (p.x > 18) * 0.6 * smooth(1.9, 1.2, hypot((fabs(p.y) - 2.9) / 1.15, (p.z - 41.4) / 0.9)));
    lay(&out, v3_scale(color(c->back), 0.45), (p.x > 18) * smooth(1.2, 0.8, nostril));
    lay(&out, v3_scale(color(c->back), 0.4),
        0.75 * smooth(0.55, 0.05, fabs(p.z - 35.7)) * (p.x > 7) * (t->n.z < 0.2));
    if (t->n.z < -0.75 && p.x > 6)
        out.color = color(0xB8405F);
    finish(&out, t, 0.68);
    return out;
}

static struct paint paint_jaw(const struct texel *t)
{
    const struct plum_colors *c = t->colors;
    struct paint out = base(c->belly);
    double top = smooth(0.55, 0.8, t->n.z);
    lay(&out, color(0xB8405F), top);
    lay(&out, color(0xFF8FA0), top * smooth(3.6, 3.0, fabs(t->p.y)) * smooth(19.5, 18, t->p.x));
    lay(&out, v3_mix(color(c->belly), color(0xF0A060), 0.5), 0.4 * smooth(0, -0.9, t->n.z));
    finish(&out, t, 0.68);
    return out;
}

/* The lid is painted on the ball above the white: turned forwards, the eye closes. Light falls into both eyes from
 * the same side, so the right one is no mirror image. */
static struct paint paint_eye(const struct texel *t)
{
    const struct plum_colors *c = t->colors;
    double side = t->p.y > 0 ? 1 : -1;
    struct v3 gaze = v3_unit(v3(PLUM_GAZE.x, side * PLUM_GAZE.y, PLUM_GAZE.z));
    struct v3 left = v3_unit(v3_cross(v3(0, 0, 1), gaze)), up = v3_cross(gaze, left);
    struct v3 d = v3_scale(v3_sub(t->p, v3(EYE.x, side * EYE.y, EYE.z)), 1 / EYE_RADIUS);
    double x = v3_dot(d, left), y = v3_dot(d, up), rise = atan2(y, v3_dot(d, gaze)) * 180 / PI,
           r = hypot(x / 0.94, y);
    struct paint out = base(0xFFFDF6);
    lay(&out, color(0xB9A6D8), 0.5 * smooth(15, 45, rise));
    lay(&out, v3_scale(color(c->iris), 0.5), cover(r - 0.71, 0.03));
    lay(&out, color(c->iris), cover(r - 0.64, 0.03));
    lay(&out, shade(color(c->iris), 1.5), cover(r - 0.64, 0.05) * smooth(0.1, -0.6, y));
    lay(&out, color(0x1C1430), cover(hypot(x / 0.82, y) - 0.48, 0.04));
    lay(&out, color(0xFFFFFF), cover(in_circle(x + 0.2, y - 0.28, 0.2), 0.03));
    lay(&out, color(0xFFFFFF), 0.85 * cover(in_circle(x - 0.22, y + 0.26, 0.1), 0.03));
    /* From the upper rim over the top and down the back; and a little below. */
    double lid = rise > -130 ? 48 - rise : -1, under = rise + 62;
    lay(&out, v3_mix(color(c->body), color(c->spots), 0.35 * smooth(95, 60, rise)), cover(lid, 2.5));
    lay(&out, color(c->body), cover(under, 2.5));
    lay(&out, color(0x2A1440), smooth(11, 6, fabs(lid + 3)));
    lay(&out, v3_scale(color(c->back), 0.8), 0.6 * smooth(6, 1, fabs(under - 1)));
    return out;
}

static struct paint paint_horn(const struct texel *t)
{
    const struct plum_colors *c = t->colors;
    struct paint out = base(c->horn);
    lay(&out, color(0xC98F5A), 0.75 * smooth(0.55, 0.0, t->v) + 0.0);
    double rings = t->v * 7;
    lay(&out, color(0x9A6238),
        0.3 * smooth(0.25, 0, fabs(rings - floor(rings) - 0.5) - 0.12) * smooth(0.85, 0.6, t->v));
    finish(&out, t, 0.68);
    return out;
}

static struct paint paint_claw(const struct texel *t)
{
    const struct plum_colors *c = t->colors;
    struct paint out = base(c->horn);
    lay(&out, color(0xC98F5A), 0.6 * smooth(0.4, 0.05, t->v));
    finish(&out, t, 0.68);
    return out;
}

static struct paint paint_spine(const struct texel *t)
{
    const struct plum_colors *c = t->colors;
    struct paint out = base(c->spine);
    lay(&out, color(c->membrane_edge), smooth(0.45, 1.0, t->v));
    lay(&out, color(c->back), 0.6 * smooth(0.3, 0.0, t->v));
    finish(&out, t, 0.68);
    return out;
}

static struct paint paint_limb(const struct texel *t)
{
    struct paint out = hide(t, clamp(0.35 + 0.9 * t->v, 0, 1));
    finish(&out, t, 0.68);
    return out;
}

static struct paint paint_foot(const struct texel *t)
{
    struct paint out = hide(t, 1);
    const struct plum_colors *c = t->colors;
    lay(&out, v3_mix(color(c->belly), color(0xD08A60), 0.4), cover(t->p.z - 0.9, 0.3));
    for (int i = -1; i <= 1; i += 2)
        groove(&out, in_stroke(t->p.x, t->p.y - 10.2, 5.0, i * 1.6, 10.5, i * 2.1, 0.2), 0.7, 0);
    finish(&out, t, 0.68);
    return out;
}

static double bone(double s, double x, double s1, double x1)
{
    return in_stroke(s, x, 11, -6.6, s1, x1, 0.9);
}

static struct paint paint_wing(const struct texel *t)
{
    const struct plum_colors *c = t->colors;
    struct v3 d = v3_sub(t->p, WING_ROOT);
    double s = v3_dot(d, WING_SPAN) / WING_SIZE, x = v3_dot(d, WING_ACROSS) / WING_SIZE;
    struct paint out = base(c->membrane);
    double along = hypot(s - 11, (x + 6.6) * 1.1);
    lay(&out, color(c->membrane_edge), smooth(5, 17, along));
    lay(&out, v3_scale(color(c->membrane), 0.75), 0.6 * smooth(6, 0, s + 0.5 * x));
    double bones =
        fmin(bone(s, x, 9.4, 9.2), fmin(bone(s, x, 18, 6.6), fmin(bone(s, x, 26, -3.0), bone(s, x, 0, 0))));
    lay(&out, v3_scale(color(c->membrane), 0.55), 0.6 * smooth(1.1, 0, bones));
    lay(&out, color(c->body), cover(bones, 0.15));
    lay(&out, shade(color(c->spots), 1.1), 0.5 * cover(bones + 0.3, 0.15));
    finish(&out, t, 0.68);
    return out;
}

static struct paint paint_fin(const struct texel *t)
{
    const struct plum_colors *c = t->colors;
    struct paint out = base(c->membrane);
    lay(&out, color(c->membrane_edge), smooth(0.35, 1, t->v));
    double rays = cos(t->u * 2 * PI * 6);
    lay(&out, v3_scale(color(c->membrane), 0.7), 0.35 * smooth(0.2, 1, rays));
    lay(&out, color(c->body), smooth(0.25, 0.1, t->v));
    finish(&out, t, 0.68);
    return out;
}

static void on_the_floor(struct v3 *point, double u, double v)
{
    (void)u;
    (void)v;
    point->z = fmax(point->z, 0);
}

static void add_body(struct plum *plum)
{
    const struct plum_joints *j = &plum->joints;
    struct part *body = figure_part(&plum->figure, "body", 0, paint_body);
    body->loft.seam_deg = 270;
    body->columns = 18;
    body->spread = 0.05;
    loft_ring(&body->loft, v3(4.2, 0, 37), 6.6, 6.4, 2);
    loft_ring(&body->loft, v3(3.0, 0, 32.5), 7.2, 6.8, 2);
    loft_ring(&body->loft, v3(1.6, 0, 28), 9.4, 8.6, 2);
    loft_ring(&body->loft, v3(0.3, 0, 23.5), 11.4, 10.6, 2.1);
    loft_ring(&body->loft, v3(-1.2, 0, 18.8), 12.4, 11.8, 2.1);
    loft_ring(&body->loft, v3(-3.8, 0, 14.2), 11.8, 11.0, 2.1);
    loft_ring(&body->loft, v3(-8, 0, 10.8), 9.2, 8.6, 2);
    loft_ring(&body->loft, v3(-13, 0, 8.4), 6.6, 6.2, 2);
    loft_ring(&body->loft, v3(-18, 0, 6.9), 4.8, 4.6, 2);
    loft_ring(&body->loft, v3(-23, 0, 6.3), 3.5, 3.4, 2);
    loft_ring(&body->loft, v3(-28, 0, 7.4), 2.4, 2.4, 2);
    loft_ring(&body->loft, v3(-32, 0, 9.8), 1.4, 1.4, 2);
    loft_cap_start(&body->loft, 1.5, 2, 1);
    loft_cap_end(&body->loft, 0.8, 2, 1);
    part_link(body, j->neck, 0.06);
    part_link(body, j->chest, 0.26);
    part_link(body, j->hips, 0.46);
    for (int i = 0; i < PLUM_TAIL_JOINTS; i++)
        part_link(body, j->tail + i, 0.66 + 0.1 * i);
}

static void add_eye(struct plum *plum, const char *name, int side, int joint)
{
    struct v3 at = v3(EYE.x, side * EYE.y, EYE.z);
    struct part *eye = figure_part(&plum->figure, name, 0, paint_eye);
    eye->density = 1.5;
    eye->painted_poles = true;
    eye->loft.axis = v3(PLUM_GAZE.x, side * PLUM_GAZE.y, PLUM_GAZE.z);
    eye->columns = 12;
    loft_ring(&eye->loft, at, EYE_RADIUS, EYE_RADIUS, 2);
    loft_cap_start(&eye->loft, EYE_RADIUS, 2, 2);
    loft_cap_end(&eye->loft, EYE_RADIUS, 2, 4);
    part_link(eye, joint, 0);
}

static void add_head(struct plum *plum)
{
    struct figure *figure = &plum->figure;
    const struct plum_joints *j = &plum->joints;
    struct part *head = figure_part(figure, "head", 0, paint_head);
    head->density = 1.35;
    head->loft.axis = v3(1, 0, 0);
    head->loft.seam_deg = 270;
    head->columns = 18;
    head->painted_poles = true;
    loft_ring(&head->loft, v3(-2, 0, 41.8), 10.2, 9.4, 2.1);
    loft_ring(&head->loft, v3(3, 0, 42.4), 12.6, 11.2, 2.2);
    loft_ring(&head->loft, v3(8, 0, 42.3), 12.2, 10.4, 2.2);
    loft_ring(&head->loft, v3(12, 0, 41.0), 10.0, 8.0, 2.2);
    loft_ring(&head->loft, v3(15.5, 0, 39.7), 8.4, 5.6, 2.3);
    loft_ring(&head->loft, v3(19, 0, 39.2), 7.7, 4.6, 2.4);
    loft_cap_start(&head->loft, 5.2, 2.1, 3);
    loft_cap_end(&head->loft, 3.8, 2.2, 3);
    part_link(head, j->head, 0);

    struct part *jaw = figure_part(figure, "jaw", 0, paint_jaw);
    jaw->loft.axis = v3(1, 0, 0);
    jaw->loft.seam_deg = 270;
    jaw->columns = 12;
    loft_ring(&jaw->loft, v3(4, 0, 34.2), 7.6, 2.8, 2.3);
    loft_ring(&jaw->loft, v3(10, 0, 34.0), 7.8, 2.6, 2.4);
    loft_ring(&jaw->loft, v3(17.5, 0, 34.2), 6.6, 2.1, 2.4);
    loft_cap_start(&jaw->loft, 2, 2, 1);
    loft_cap_end(&jaw->loft, 3.8, 2.2, 3);
    part_link(jaw, j->jaw, 0);

    struct part *fang = figure_part(figure, "fang", 0, paint_claw);
    fang->loft.side = v3(1, 0, 0);
    fang->columns = 5;
    loft_ring(&fang->loft, v3(18.5, 5.4, 36.6), 1.1, 1.0, 2);
    loft_ring(&fang->loft, v3(18.7, 5.7, 34.6), 0.8, 0.7, 2);
    loft_cap_start(&fang->loft, 0.2, 2, 1);
    loft_cap_end(&fang->loft, 1.3, 1.4, 2);
    part_link(fang, j->head, 0);
    figure_mirror(figure, fang);
}

/* A cone bent from `from` over `over` to `to`. */
static struct part *add_cone(struct plum *plum, const char *name, painter *paint, struct v3 from, struct v3 over,
                             struct v3 to, double wide, double thin, int joint)
{
    struct part *cone = figure_part(&plum->figure, name, 0, paint);
    cone->columns = 6;
    cone->loft.side = v3(0, 1, 0);
    loft_ring(&cone->loft, from, thin, wide, 2);
    loft_ring(&cone->loft, over, thin * 0.72, wide * 0.66, 2);
    loft_ring(&cone->loft, to, thin * 0.3, wide * 0.22, 2);
    loft_cap_start(&cone->loft, 0.4, 2, 1);
    loft_cap_end(&cone->loft, thin * 0.5, 2, 1);
    part_link(cone, joint, 0);
    return cone;
}

static void add_horns(struct plum *plum)
{
    struct figure *figure = &plum->figure;
    const struct plum_joints *j = &plum->joints;
    struct part *horn = add_cone(plum, "horn", paint_horn, v3(2.5, 5.6, 50.2), v3(-0.6, 7.4, 55),
                                 v3(-5.2, 8.2, 58.4), 2.5, 2.4, j->head);
    horn->rows_per_ring = 2;
    figure_mirror(figure, horn);

    struct part *fin = figure_part(figure, "fin", 0, paint_fin);
    fin->columns = 8;
    fin->loft.side = v3(0.2, 0.1, 1);
    loft_ring(&fin->loft, v3(1.5, 10.2, 41.5), 2.2, 1.0, 2);
    loft_ring(&fin->loft, v3(-1.0, 13.6, 42.2), 3.9, 0.8, 2);
    loft_ring(&fin->loft, v3(-3.4, 16.6, 43.0), 3.7, 0.6, 2);
    loft_ring(&fin->loft, v3(-5.6, 19.2, 44.0), 1.8, 0.5, 2);
    loft_cap_start(&fin->loft, 0.5, 2, 1);
    loft_cap_end(&fin->loft, 1.6, 1.6, 1);
    part_link(fin, j->fin, 0);
    figure_mirror(figure, fin);
}

static void add_spines(struct plum *plum)
{
    const struct plum_joints *j = &plum->joints;
    const struct {
        const char *name;
        struct v3 at, out;
        double size;
        int joint;
    } spines[] = {
        {"spine_1", {2, 0, 53}, {-0.35, 0, 1}, 1.0, j->head},
        {"spine_2", {-5.2, 0, 47.5}, {-1, 0, 0.55}, 1.1, j->head},
        {"spine_3", {-6.3, 0, 32.5}, {-1, 0, 0.45}, 1.0, j->chest},
        {"spine_4", {-10.0, 0, 26}, {-1, 0, 0.4}, 1.2, j->chest},
        {"spine_5", {-13.2, 0, 19.3}, {-0.9, 0, 0.6}, 1.1, j->hips},
        {"spine_6", {-16.2, 0, 13.6}, {-0.55, 0, 1}, 0.95, j->tail},
        {"spine_7", {-20.6, 0, 10.9}, {-0.3, 0, 1}, 0.8, j->tail + 1},
        {"spine_8", {-25.2, 0, 9.4}, {-0.3, 0, 1}, 0.65, j->tail + 2},
    };
    for (size_t i = 0; i < sizeof(spines) / sizeof(spines[0]); i++) {
        struct v3 out = v3_unit(spines[i].out), back = v3_unit(v3_cross(v3(0, 1, 0), out));
        struct v3 from = v3_add_scaled(spines[i].at, out, -1.4);
        struct v3 over = v3_add_scaled(v3_add_scaled(spines[i].at, out, 1.6 * spines[i].size), back, -0.3);
        struct v3 to = v3_add_scaled(v3_add_scaled(spines[i].at, out, 3.9 * spines[i].size), back, -1.8);
        add_cone(plum, spines[i].name, paint_spine, from, over, to, 2.9 * spines[i].size, 1.1 * spines[i].size,
                 spines[i].joint);
    }
    struct part *leaf = figure_part(&plum->figure, "tail_leaf", 0, paint_spine);
    leaf->columns = 8;
    loft_ring(&leaf->loft, v3(-31, 0, 9.1), 1.2, 1.0, 2);
    loft_ring(&leaf->loft, v3(-32.6, 0, 10.2), 4.6, 1.1, 2);
    loft_ring(&leaf->loft, v3(-34.8, 0, 12.0), 3.9, 0.9, 2);
    loft_ring(&leaf->loft, v3(-37.6, 0, 14.8), 1.4, 0.6, 2);
    loft_cap_start(&leaf->loft, 0.3, 2, 1);
    loft_cap_end(&leaf->loft, 1.6, 1.6, 1);
    part_link(leaf, j->tail + 3, 0);
}

static void add_claws(struct plum *plum, const char *const names[3], struct v3 at, struct v3 out, double apart,
                      double size, int joint)
{
    struct v3 aside = v3_unit(v3_cross(v3(0, 0, 1), out));
    for (int i = 0; i < 3; i++) {
        struct v3 from = v3_add_scaled(v3_add_scaled(at, aside, apart * (i - 1)), out, i == 1 ? 0.5 * size : 0);
        struct v3 to = v3_add(v3_add_scaled(from, out, 2.6 * size), v3(0, 0, -1.0 * size));
        struct v3 over = v3_add(v3_mix(from, to, 0.5), v3(0, 0, 0.3 * size));
        figure_mirror(&plum->figure,
                      add_cone(plum, names[i], paint_claw, from, over, to, 1.25 * size, 1.15 * size, joint));
    }
}

static void add_legs(struct plum *plum)
{
    struct figure *figure = &plum->figure;
    const struct plum_joints *j = &plum->joints;
    struct part *leg = figure_part(figure, "leg", 0, paint_limb);
    leg->loft.side = v3(0, 1, 0);
    leg->loft.seam_deg = 180;
    leg->columns = 10;
    loft_ring(&leg->loft, v3(-4.5, 7.2, 17.5), 4.6, 5.6, 2);
    loft_ring(&leg->loft, v3(-3.0, 8.6, 13.6), 5.4, 7.0, 2);
    loft_ring(&leg->loft, v3(-1.4, 9.5, 9.6), 4.7, 5.6, 2);
    loft_ring(&leg->loft, v3(-1.6, 9.8, 6.4), 4.1, 4.4, 2);
    loft_ring(&leg->loft, v3(-1.8, 9.9, 3.4), 3.9, 4.2, 2);
    loft_cap_start(&leg->loft, 2.4, 2, 2);
    loft_cap_end(&leg->loft, 0.8, 2, 1);
    leg->spread = 0.12;
    part_link(leg, j->hips, 0.05);
    part_link(leg, j->thigh, 0.35);
    part_link(leg, j->shin, 0.66);
    part_link(leg, j->foot, 0.92);
    figure_mirror(figure, leg);

    struct part *foot = figure_part(figure, "foot", 0, paint_foot);
    foot->loft.axis = v3(1, 0, 0);
    foot->loft.seam_deg = 270;
    foot->loft.shape = on_the_floor;
    foot->columns = 10;
    loft_ring(&foot->loft, v3(-3, 9.9, 2.6), 4.0, 3.4, 2.4);
    loft_ring(&foot->loft, v3(2, 10.2, 2.6), 4.7, 3.5, 2.4);
    loft_ring(&foot->loft, v3(6, 10.4, 2.2), 5.0, 2.9, 2.4);
    loft_cap_start(&foot->loft, 2.4, 2.1, 2);
    loft_cap_end(&foot->loft, 3.4, 2.1, 3);
    foot->spread = 0.05;
    part_link(foot, j->foot, 0.5);
    part_link(foot, j->toes, 0.7);
    figure_mirror(figure, foot);
    add_claws(plum, (const char *const[]){"toe_1", "toe_2", "toe_3"}, v3(8.2, 10.4, 1.7), v3(1, 0.06, 0), 3.0,
              1.15, j->toes);
}

static void add_arms(struct plum *plum)
{
    struct figure *figure = &plum->figure;
    const struct plum_joints *j = &plum->joints;
    struct part *arm = figure_part(figure, "arm", 0, paint_limb);
    arm->loft.side = v3(0, 1, 0.3);
    arm->loft.seam_deg = 90;
    arm->columns = 8;
    loft_ring(&arm->loft, v3(3.4, 6.6, 28), 3.2, 3.4, 2);
    loft_ring(&arm->loft, v3(5.6, 9.6, 25.6), 3.3, 3.5, 2);
    loft_ring(&arm->loft, v3(7.6, 11.6, 23.2), 2.9, 3.0, 2);
    loft_ring(&arm->loft, v3(10.0, 12.2, 21.6), 2.6, 2.6, 2);
    loft_ring(&arm->loft, v3(12.6, 12.2, 20.4), 3.0, 2.8, 2);
    loft_cap_start(&arm->loft, 1.2, 2, 1);
    loft_cap_end(&arm->loft, 2.4, 2, 2);
    arm->spread = 0.1;
    part_link(arm, j->chest, 0.06);
    part_link(arm, j->upper_arm, 0.28);
    part_link(arm, j->forearm, 0.58);
    part_link(arm, j->hand, 0.8);
    figure_mirror(figure, arm);
    add_claws(plum, (const char *const[]){"claw_1", "claw_2", "claw_3"}, v3(14, 12.2, 19.9),
              v3_unit(v3(1, 0, -0.45)), 1.8, 0.85, j->hand);
}

/* A ring across the wing: from `front` to `back` at `span`, measured along WING_ACROSS. */
static void wing_ring(struct part *wing, double span, double front, double back, double thick)
{
    struct v3 at = v3_add_scaled(WING_ROOT, WING_SPAN, span * WING_SIZE);
    loft_ring(&wing->loft, v3_add_scaled(at, WING_ACROSS, (front + back) / 2 * WING_SIZE),
              (back - front) / 2 * WING_SIZE, thick, 2);
}

static void add_wings(struct plum *plum)
{
    const struct plum_joints *j = &plum->joints;
    struct part *wing = figure_part(&plum->figure, "wing", 0, paint_wing);
    wing->loft.axis = WING_SPAN;
    wing->loft.side = WING_ACROSS;
    wing->columns = 10;
    wing_ring(wing, -1, -1.6, 4.0, 1.0);
    wing_ring(wing, 3, -3.6, 5.0, 0.8);
    wing_ring(wing, 6.5, -5.6, 6.0, 0.7);
    wing_ring(wing, 9.6, -7.2, 9.8, 0.65);
    wing_ring(wing, 12.5, -7.6, 5.4, 0.6);
    wing_ring(wing, 15.5, -7.0, 4.2, 0.55);
    wing_ring(wing, 18.2, -6.3, 7.0, 0.5);
    wing_ring(wing, 20.6, -5.4, 2.0, 0.45);
    wing_ring(wing, 23.5, -4.2, -0.6, 0.4);
    wing_ring(wing, 26.5, -3.2, -2.4, 0.35);
    loft_cap_start(&wing->loft, 0.5, 2, 1);
    loft_cap_end(&wing->loft, 0.5, 2, 1);
    wing->spread = 0.1;
    part_link(wing, j->chest, 0.0);
    part_link(wing, j->wing, 0.12);
    part_link(wing, j->wing, 0.3);
    part_link(wing, j->wing_tip, 0.6);
    figure_mirror(&plum->figure, wing);
}

void plum_build(struct plum *plum)
{
    struct figure *figure = &plum->figure;
    add_joints(plum);
    figure->colors = &plum_skins[0];
    figure->coat_count = 1;
    figure->coats[0] = (struct coat){.name = "plum", .shader = "", .size = 512};
    add_body(plum);
    add_head(plum);
    add_eye(plum, "eye_l", 1, plum->joints.eye);
    add_eye(plum, "eye_r", -1, plum->joints.eye + 1);
    add_horns(plum);
    add_spines(plum);
    add_legs(plum);
    add_arms(plum);
    add_wings(plum);
    figure_finish(figure);
}
