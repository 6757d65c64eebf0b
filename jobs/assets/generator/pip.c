#include "pip.h"

#include "paint.h"

/* The palette: a warm white shell with teal trim, dark rubber, and the scarf as the one loud colour. */
static const uint32_t WHITE = 0xF3E9D8, TEAL = 0x2FA7A4, NAVY = 0x2B3350, RED = 0xE2463C, CREAM = 0xFFE3B0,
                      AMBER = 0xF5A524, LEATHER = 0x9A5F36, SOLE = 0x3A3F58, GLOW = 0x7CF4FF, SCREEN = 0x141A33;

static void add_joints(struct pip *pip)
{
    struct rig *rig = &pip->figure.rig;
    struct pip_joints *j = &pip->joints;
    j->origin = rig_joint(rig, "origin", -1, v3(0, 0, 0));
    j->hips = rig_joint(rig, "hips", j->origin, v3(0, 0, 21));
    j->spine = rig_joint(rig, "spine", j->hips, v3(0, 0, 25));
    j->chest = rig_joint(rig, "chest", j->spine, v3(0, 0, 31));
    j->neck = rig_joint(rig, "neck", j->chest, v3(0, 0, 37));
    j->head = rig_joint(rig, "head", j->neck, v3(0.5, 0, 40.5));
    j->antenna = rig_joint(rig, "antenna_1", j->head, v3(-3, 0, 64));
    rig_joint(rig, "antenna_2", j->antenna, v3(-5, 0, 69));
    j->eye_top = rig_joint(rig, "eye_top", j->head, v3(13, 0, 57));
    j->eye_bottom = rig_joint(rig, "eye_bottom", j->head, v3(13, 0, 48));
    j->upper_arm = rig_pair(rig, "upper_arm_l", "upper_arm_r", j->chest, v3(0, 11.2, 33.5));
    j->forearm = rig_pair(rig, "forearm_l", "forearm_r", j->upper_arm, v3(-0.4, 17.6, 27.2));
    j->hand = rig_pair(rig, "hand_l", "hand_r", j->forearm, v3(0.5, 23.4, 21));
    j->fingers = rig_pair(rig, "fingers_l", "fingers_r", j->hand, v3(1, 27.6, 16.6));
    j->thumb = rig_pair(rig, "thumb_l", "thumb_r", j->hand, v3(4.2, 24.6, 18.6));
    j->thigh = rig_pair(rig, "thigh_l", "thigh_r", j->hips, v3(0, 6, 19.5));
    j->shin = rig_pair(rig, "shin_l", "shin_r", j->thigh, v3(0.7, 6.6, 13));
    j->foot = rig_pair(rig, "foot_l", "foot_r", j->shin, v3(0, 7, 6.5));
    j->toes = rig_pair(rig, "toes_l", "toes_r", j->foot, v3(7, 7.3, 2.5));
    j->scarf = rig_joint(rig, "scarf_1", j->chest, v3(-8.5, 5, 37));
    rig_joint(rig, "scarf_2", j->scarf, v3(-12.5, 6.2, 34.5));
    rig_joint(rig, "scarf_3", j->scarf + 1, v3(-16.5, 7, 31));
    rig_joint(rig, "scarf_4", j->scarf + 2, v3(-20, 7.6, 27));
}

/* ---- painters ---- */

static struct paint base(uint32_t rgb)
{
    return (struct paint){color(rgb), 0};
}

static void mottle(struct paint *paint, const struct texel *texel, double amount)
{
    double n = noise(v3_scale(texel->p, 0.35)) + 0.5 * noise(v3_scale(texel->p, 0.9));
    paint->color = v3_scale(paint->color, 1 + amount * n);
}

static struct paint paint_head(const struct texel *t)
{
    struct paint out = base(WHITE);
    struct v3 p = t->p;
    double front = p.x - 12.1, y = p.y, z = p.z - 52;
    mottle(&out, t, 0.012);
    /* A cap over the crown with a stripe, a hatch at the back of the head, and the dark frame of the screen. */
    double crown = 7.2 - z + 0.10 * p.x;
    if (p.x < 10.5) {
        plate(&out, color(TEAL), fmax(crown, p.x - 9.4), 0.35);
        double stripe = fmax(fabs(y) - 2.6, crown + 0.8);
        lay(&out, color(WHITE), cover(stripe, 0.15) * (p.x < 9.2));
    }
    if (p.x < -4) {
        double hatch = in_box(y, z + 1.2, 7.2, 5.4, 2.2);
        plate(&out, shade(color(WHITE), 0.93), hatch, -0.25);
        for (int i = -1; i <= 1; i++)
            groove(&out, in_stroke(y, z, -4.2, -1.2 + i * 2.6, 4.2, -1.2 + i * 2.6, 0.9), 0.35, 0.3);
    }
    groove(&out, p.x - 1.6 - 20 * (z > 7.0), 0.3, 0.2);
    if (front > 0.0 && t->v > 0.86)
        lay(&out, color(NAVY), smooth(-0.05, 0.25, front));
    if (t->v > 0.93)
        out.color = color(SCREEN);
    shadow(&out, t, 0.75);
    return out;
}

static struct paint paint_torso(const struct texel *t)
{
    struct paint out = base(WHITE);
    double y = t->p.y, z = t->p.z;
    mottle(&out, t, 0.012);
    if (t->p.x > 2) {
        /* A round chest plate with the number, and a lamp. */
        double bib = in_box(y, z - 30, 8.6, 4.6, 3.6);
        plate(&out, color(TEAL), bib, 0.35);
        lay(&out, color(0xFFF4DE), cover(in_seven(y, z - 30, 6.4), 0.14));
    }
    if (t->p.x < -2) {
        double hatch = in_box(y, z - 30, 6.4, 4.4, 2.4);
        plate(&out, color(TEAL), hatch, 0.3);
        lay(&out, color(0xFFF4DE), cover(in_seven(-y, z - 30, 6), 0.14));
    }
    double side = fabs(t->p.x);
    groove(&out, side + 30 * (z < 25.6) + 30 * (z > 36), 0.32, 0.22);
    /* Below the belt the pelvis is rubber, like the limbs. */
    lay(&out, color(NAVY), cover(z - 20.6, 0.25));
    groove(&out, z - 20.6, 0.4, 0.2);
    double belt = fabs(z - 22.9) - 1.55;
    lay(&out, color(LEATHER), cover(belt, 0.1));
    if (t->p.x > 0) {
        double buckle = in_box(y, z - 22.9, 2.7, 2.0, 0.7);
        lay(&out, color(AMBER), cover(buckle, 0.12));
        lay(&out, color(LEATHER), cover(in_box(y, z - 22.9, 1.5, 0.9, 0.3), 0.12));
        out.height += 0.3 * smooth(0.1, -0.3, buckle);
        groove(&out, buckle - 0.1, 0.35, 0.1);
    }
    if (belt < 0)
        groove(&out, belt + 0.45, 0.16, 0.08);
    shadow(&out, t, 0.8);
    return out;
}

/* The hose of an arm or leg: rubber in rings. */
static struct paint paint_hose(const struct texel *t)
{
    struct paint out = base(NAVY);
    double rings = loft_length(&t->part->loft) / 1.35;
    double wave = cos(t->v * rings * 2 * PI);
    out.height = 0.22 * wave;
    out.color = v3_scale(out.color, 1.0 + 0.22 * wave);
    shadow(&out, t, 0.6);
    return out;
}

static struct paint paint_boot(const struct texel *t)
{
    struct paint out = base(TEAL);
    struct v3 p = t->p;
    mottle(&out, t, 0.015);
    double toe = 7.4 - p.x + 0.12 * p.z;
    plate(&out, color(WHITE), toe, 0.3);
    groove(&out, fabs(p.x + 0.5) + 20 * (p.z > 6.5), 0.3, 0.2);
    lay(&out, color(SOLE), cover(p.z - 1.9, 0.15));
    groove(&out, p.z - 2.0, 0.3, 0.25);
    shadow(&out, t, 0.7);
    if (p.z < 1.7)
        out.height -= 0.15 * (cos(p.x * 2.4) > 0.2);
    return out;
}

static struct paint paint_cuff(const struct texel *t)
{
    struct paint out = base(WHITE);
    mottle(&out, t, 0.01);
    groove(&out, (t->v - 0.5) * loft_length(&t->part->loft), 0.3, 0.12);
    shadow(&out, t, 0.7);
    return out;
}

static struct paint paint_glove(const struct texel *t)
{
    struct paint out = base(TEAL);
    mottle(&out, t, 0.015);
    shadow(&out, t, 0.75);
    return out;
}

static struct paint paint_shoulder(const struct texel *t)
{
    struct paint out = base(WHITE);
    double d = (t->v - 0.52) * loft_length(&t->part->loft);
    lay(&out, color(TEAL), cover(fabs(d) - 0.9, 0.15));
    groove(&out, fabs(d) - 0.95, 0.22, 0.1);
    shadow(&out, t, 0.7);
    return out;
}

static struct paint paint_ear(const struct texel *t)
{
    struct paint out = base(WHITE);
    double r = hypot(t->p.x - 0.5, t->p.z - 52);
    lay(&out, color(TEAL), cover(r - 5.0, 0.15) * (t->p.y > 16.5));
    lay(&out, color(AMBER), cover(r - 3.0, 0.15) * (t->p.y > 16.5));
    if (t->p.y > 16.5) {
        groove(&out, r - 5.05, 0.3, 0.15);
        groove(&out, r - 3.05, 0.3, 0.2);
    }
    shadow(&out, t, 0.7);
    return out;
}

static struct paint paint_scarf(const struct texel *t)
{
    struct paint out = base(RED);
    double angle = 2 * PI * t->u, fold = sin(angle * 9 + 3 * sin(angle * 2) + t->v * 5);
    out.height = 0.25 * fold;
    out.color = v3_scale(out.color, 1 + 0.09 * fold);
    double knit = sin(t->p.z * 9) * 0.5;
    out.height += 0.03 * knit;
    shadow(&out, t, 0.75);
    return out;
}

static struct paint paint_tail(const struct texel *t)
{
    struct paint out = base(RED);
    double end = (1 - t->v) * loft_length(&t->part->loft);
    for (int i = 0; i < 2; i++)
        lay(&out, color(CREAM), cover(fabs(end - 3.2 - 2.6 * i) - 0.62, 0.12));
    double fold = sin(2 * PI * t->u * 2 + 6 * t->v) * 0.5 + 0.5 * sin(t->v * 17);
    out.height = 0.15 * fold;
    out.color = v3_scale(out.color, 1 + 0.07 * fold);
    shadow(&out, t, 0.7);
    return out;
}

static struct paint paint_pouch(const struct texel *t)
{
    struct paint out = base(LEATHER);
    mottle(&out, t, 0.06);
    double flap = 22.6 - t->p.z + 0.12 * (t->p.x + 1) * (t->p.x + 1) * 0.5;
    plate(&out, shade(color(LEATHER), 0.86), flap, 0.25);
    double button = in_circle(t->p.x + 1, t->p.z - 22.2, 0.75);
    lay(&out, color(AMBER), cover(button, 0.15) * (t->p.y > 13));
    shadow(&out, t, 0.8);
    return out;
}

static struct paint paint_screen(const struct texel *t)
{
    struct paint out = base(SCREEN);
    double y = t->p.y, z = t->p.z - 52, r = hypot(y / 12, z / 9.2);
    out.color = v3_mix(shade(color(0x24305C), 1.0), out.color, smooth(0.1, 1.0, r));
    /* Lines of the display, a smile and cheeks of light, and the sky in the glass. */
    out.color = v3_scale(out.color, 1 + 0.06 * cos(z * 2 * PI / 0.9));
    double smile = fabs(hypot(y, z + 1.4) - 3.0) - 0.42;
    double part = z + 3.0;
    double glow = cover(fmax(smile, part), 0.18);
    lay(&out, color(0x2C8FA8), smooth(1.3, 0, fmax(smile, part)) * 0.5);
    lay(&out, color(GLOW), glow);
    for (int side = -1; side <= 1; side += 2)
        lay(&out, color(0xFF7D92), 0.6 * smooth(1.9, 0.6, hypot((y - side * 8.0) / 1.25, z + 3.6)));
    double glare = y * 0.55 + z * 0.83;
    double band = fmax(fabs(glare - 6.6) - 1.0, r * 9 - 8.1), thin = fmax(fabs(glare - 4.5) - 0.35, r * 9 - 8.1);
    lay(&out, color(0xBFD4F2), 0.34 * cover(fmin(band, thin), 0.2) * (y > -11));
    return out;
}

static struct paint paint_eye(const struct texel *t)
{
    struct paint out = base(GLOW);
    double y = t->p.y > 0 ? t->p.y - 5.6 : t->p.y + 5.6, z = t->p.z - 52.8;
    out.color = v3_mix(color(0x35D3F0), color(0xB4FBFF), smooth(-4, 4, z));
    lay(&out, color(0x1FA9D6), smooth(0.72, 1.0, hypot(y / 2.7, z / 4.3)) * 0.7);
    lay(&out, color(0xFFFFFF), cover(hypot((y - 0.75) / 0.85, (z - 1.9) / 1.15) - 1, 0.22));
    lay(&out, color(0xFFFFFF), 0.8 * cover(in_circle(y + 0.8, z + 1.9, 0.55), 0.2));
    return out;
}

static struct paint paint_antenna(const struct texel *t)
{
    struct paint out = base(NAVY);
    shadow(&out, t, 0.5);
    return out;
}

static struct paint paint_bulb(const struct texel *t)
{
    struct paint out = base(0xFFB52E);
    out.color = v3_mix(color(0xF07A1E), color(0xFFE27A), smooth(-0.9, 0.9, t->n.z));
    return out;
}

/* ---- shapes ---- */

static void on_the_floor(struct v3 *point, double u, double v)
{
    (void)u;
    (void)v;
    point->z = fmax(point->z, 0);
}

static void scarf_folds(struct v3 *point, double u, double v)
{
    double angle = 2 * PI * u, out = sin(v * PI);
    double fold = 0.35 * sin(5 * angle + 1) + 0.25 * sin(8 * angle);
    double r = hypot(point->x, point->y), grown = r + fold * out * (r > 7);
    if (r > 0.1) {
        point->x *= grown / r;
        point->y *= grown / r;
    }
    point->z += 0.5 * out * sin(3 * angle + 2) - 0.9 * cos(angle) * -1 * out;
}

static void add_head(struct pip *pip)
{
    struct figure *figure = &pip->figure;
    struct part *head = figure_part(figure, "head", PIP_SHELL, paint_head);
    head->loft.axis = v3(1, 0, 0);
    head->loft.seam_deg = 270;
    head->columns = 28;
    loft_ring(&head->loft, v3(-6, 0, 52), 15.4, 12.4, 2.5);
    loft_ring(&head->loft, v3(0, 0, 52), 16.7, 13.3, 2.6);
    loft_ring(&head->loft, v3(6.5, 0, 52), 16.2, 12.9, 2.8);
    loft_ring(&head->loft, v3(10.6, 0, 52), 14.5, 11.5, 2.9);
    loft_ring(&head->loft, v3(12.6, 0, 52), 13.1, 10.2, 3.0);
    loft_ring(&head->loft, v3(12.9, 0, 52), 12.3, 9.4, 3.0);
    loft_ring(&head->loft, v3(11.6, 0, 52), 11.7, 8.8, 3.0);
    loft_ring(&head->loft, v3(11.4, 0, 52), 0, 0, 2.5);
    loft_cap_start(&head->loft, 7.6, 2.25, 4);
    part_link(head, pip->joints.head, 0);

    struct part *screen = figure_part(figure, "screen", PIP_FACE, paint_screen);
    screen->loft.axis = v3(1, 0, 0);
    screen->loft.seam_deg = 270;
    screen->columns = 24;
    loft_ring(&screen->loft, v3(11.2, 0, 52), 0, 0, 2.5);
    loft_ring(&screen->loft, v3(11.3, 0, 52), 11.6, 8.7, 3.0);
    loft_ring(&screen->loft, v3(11.9, 0, 52), 11.6, 8.7, 3.0);
    loft_cap_end(&screen->loft, 1.5, 2, 4);
    part_link(screen, pip->joints.head, 0);

    struct part *ear = figure_part(figure, "ear", PIP_SHELL, paint_ear);
    ear->loft.axis = v3(0, 1, 0);
    ear->loft.side = v3(1, 0, 0);
    ear->loft.seam_deg = 90;
    ear->columns = 14;
    loft_ring(&ear->loft, v3(0.5, 14.6, 52), 0, 0, 2);
    loft_ring(&ear->loft, v3(0.5, 14.8, 52), 6.0, 6.0, 2);
    loft_ring(&ear->loft, v3(0.5, 17.6, 52), 6.0, 6.0, 2);
    loft_ring(&ear->loft, v3(0.5, 18.5, 52), 5.1, 5.1, 2);
    loft_ring(&ear->loft, v3(0.5, 18.2, 52), 3.3, 3.3, 2);
    loft_cap_end(&ear->loft, 1.4, 2, 2);
    part_link(ear, pip->joints.head, 0);
    figure_mirror(figure, ear);
}

/* An eye hangs between two joints in proportion to height: bring those together and it closes. */
static void squash_eye(const struct part *part, struct v3 point, struct weights *out)
{
    double top = clamp((point.z - 48) / 9, 0, 1);
    *out = (struct weights){2, {{part->links[0].joint, top}, {part->links[1].joint, 1 - top}}};
}

static void add_eye(struct pip *pip, const char *name, double y)
{
    struct part *eye = figure_part(&pip->figure, name, PIP_FACE, paint_eye);
    eye->loft.axis = v3(1, 0, 0);
    eye->loft.seam_deg = 270;
    eye->columns = 14;
    eye->density = 2;
    loft_ring(&eye->loft, v3(12.4, y, 52.8), 2.7, 4.3, 2.3);
    loft_ring(&eye->loft, v3(13.3, y, 52.8), 2.7, 4.3, 2.3);
    loft_cap_end(&eye->loft, 0.8, 2.5, 3);
    loft_cap_start(&eye->loft, 0.3, 3, 1);
    part_link(eye, pip->joints.eye_top, 0);
    part_link(eye, pip->joints.eye_bottom, 1);
    eye->weigh = squash_eye;
}

static void add_antenna(struct pip *pip)
{
    struct part *stem = figure_part(&pip->figure, "antenna", PIP_CLOTH, paint_antenna);
    stem->columns = 7;
    loft_ring(&stem->loft, v3(-2.6, 0, 63), 1.5, 1.5, 2);
    loft_ring(&stem->loft, v3(-3.0, 0, 65.6), 1.3, 1.3, 2);
    loft_ring(&stem->loft, v3(-3.4, 0, 66), 0.6, 0.6, 2);
    loft_ring(&stem->loft, v3(-5.0, 0, 69), 0.5, 0.5, 2);
    loft_ring(&stem->loft, v3(-7.2, 0, 72), 0.5, 0.5, 2);
    loft_cap_start(&stem->loft, 0.3, 3, 1);
    loft_cap_end(&stem->loft, 0.3, 3, 1);
    part_link(stem, pip->joints.head, 0.2);
    part_link(stem, pip->joints.antenna, 0.45);
    part_link(stem, pip->joints.antenna + 1, 0.8);

    struct part *bulb = figure_part(&pip->figure, "bulb", PIP_FACE, paint_bulb);
    bulb->columns = 10;
    bulb->loft.axis = v3(0, 0, -1);
    loft_ring(&bulb->loft, v3(-7.6, 0, 72.6), 2.1, 2.1, 2);
    loft_cap_start(&bulb->loft, 2.1, 2, 3);
    loft_cap_end(&bulb->loft, 2.1, 2, 3);
    part_link(bulb, pip->joints.antenna + 1, 0);
}

static void add_body(struct pip *pip)
{
    const struct pip_joints *j = &pip->joints;
    struct part *torso = figure_part(&pip->figure, "torso", PIP_SHELL, paint_torso);
    torso->loft.axis = v3(0, 0, -1);
    torso->loft.seam_deg = 0;
    torso->columns = 22;
    loft_ring(&torso->loft, v3(0, 0, 38.5), 6.5, 6, 2);
    loft_ring(&torso->loft, v3(0, 0, 36), 10, 8.8, 2.1);
    loft_ring(&torso->loft, v3(0, 0, 32), 12.2, 10.6, 2.2);
    loft_ring(&torso->loft, v3(0.3, 0, 28), 13, 11.6, 2.25);
    loft_ring(&torso->loft, v3(0.3, 0, 24.7), 12.9, 11.6, 2.25);
    loft_ring(&torso->loft, v3(0.3, 0, 24.4), 13.4, 12.1, 2.25);
    loft_ring(&torso->loft, v3(0.3, 0, 21.5), 13.0, 11.7, 2.25);
    loft_ring(&torso->loft, v3(0.3, 0, 21.2), 12.2, 10.9, 2.25);
    loft_ring(&torso->loft, v3(0.2, 0, 18.6), 10.4, 9.2, 2.2);
    loft_cap_start(&torso->loft, 1.2, 2, 1);
    loft_cap_end(&torso->loft, 3.0, 2.2, 3);
    torso->spread = 0.1;
    part_link(torso, j->chest, 0.38);
    part_link(torso, j->spine, 0.58);
    part_link(torso, j->hips, 0.75);

    struct part *pouch = figure_part(&pip->figure, "pouch", PIP_CLOTH, paint_pouch);
    pouch->loft.axis = v3(0, 0, -1);
    pouch->columns = 10;
    loft_ring(&pouch->loft, v3(-1, 13.6, 24.2), 2.0, 3.1, 3);
    loft_ring(&pouch->loft, v3(-1, 13.8, 21.6), 2.5, 3.5, 3);
    loft_ring(&pouch->loft, v3(-1, 13.4, 19.4), 2.2, 3.2, 3);
    loft_cap_start(&pouch->loft, 0.8, 2.5, 1);
    loft_cap_end(&pouch->loft, 0.8, 2.5, 1);
    part_link(pouch, j->hips, 0);
}

static void add_scarf(struct pip *pip)
{
    const struct pip_joints *j = &pip->joints;
    struct part *scarf = figure_part(&pip->figure, "scarf", PIP_CLOTH, paint_scarf);
    scarf->loft.axis = v3(0, 0, -1);
    scarf->loft.shape = scarf_folds;
    scarf->columns = 24;
    loft_ring(&scarf->loft, v3(0, 0, 40.4), 6, 6, 2);
    loft_ring(&scarf->loft, v3(0, 0, 40.6), 8.8, 8.4, 2);
    loft_ring(&scarf->loft, v3(0, 0, 39.0), 10.8, 10.2, 2);
    loft_ring(&scarf->loft, v3(0, 0, 37.0), 11.3, 10.6, 2);
    loft_ring(&scarf->loft, v3(0, 0, 35.2), 10.4, 9.6, 2);
    loft_ring(&scarf->loft, v3(0, 0, 35.2), 7, 6, 2);
    loft_cap_start(&scarf->loft, 0.2, 2, 1);
    loft_cap_end(&scarf->loft, 0.2, 2, 1);
    part_link(scarf, j->neck, 0.3);
    part_link(scarf, j->chest, 0.6);
    scarf->spread = 0.15;

    struct part *knot = figure_part(&pip->figure, "knot", PIP_CLOTH, paint_scarf);
    knot->loft.axis = v3(-1, 0, 0);
    knot->columns = 9;
    loft_ring(&knot->loft, v3(-9.6, 5, 37.6), 2.6, 2.3, 2.3);
    loft_cap_start(&knot->loft, 1.8, 2, 2);
    loft_cap_end(&knot->loft, 1.6, 2, 2);
    part_link(knot, j->chest, 0);

    struct part *tail = figure_part(&pip->figure, "scarf_tail", PIP_CLOTH, paint_tail);
    tail->loft.side = v3(0.25, 1, 0);
    tail->columns = 8;
    loft_ring(&tail->loft, v3(-9.4, 5.1, 37.2), 1.7, 0.8, 2.4);
    loft_ring(&tail->loft, v3(-11.0, 5.7, 35.8), 2.4, 0.7, 2.6);
    loft_ring(&tail->loft, v3(-13.2, 6.3, 34.0), 3.0, 0.6, 3);
    loft_ring(&tail->loft, v3(-15.6, 6.8, 32.0), 3.3, 0.6, 3);
    loft_ring(&tail->loft, v3(-18.0, 7.2, 29.6), 3.5, 0.6, 3);
    loft_ring(&tail->loft, v3(-20.2, 7.6, 27.0), 3.7, 0.6, 3);
    loft_ring(&tail->loft, v3(-22.2, 8.0, 24.2), 3.9, 0.6, 3);
    loft_cap_start(&tail->loft, 0.6, 2, 1);
    loft_cap_end(&tail->loft, 0.5, 3, 1);
    part_link(tail, j->chest, 0.02);
    for (int i = 0; i < PIP_SCARF_JOINTS; i++)
        part_link(tail, j->scarf + i, 0.15 + 0.23 * i);
    tail->spread = 0.08;
}

static void add_arm(struct pip *pip)
{
    struct figure *figure = &pip->figure;
    const struct pip_joints *j = &pip->joints;
    const struct rig_joint *joints = figure->rig.joints;
    struct v3 shoulder = joints[j->upper_arm].rest, elbow = joints[j->forearm].rest, wrist = joints[j->hand].rest;
    struct v3 down = v3_unit(v3_sub(wrist, elbow));

    struct part *hose = figure_part(figure, "arm", PIP_CLOTH, paint_hose);
    hose->loft.side = v3(1, 0, 0);
    hose->columns = 9;
    for (int i = 0; i <= 4; i++)
        loft_ring(&hose->loft, v3_mix(v3_add_scaled(shoulder, v3(0, -1, 0.6), 1.5), elbow, i / 4.0), 2.5, 2.5, 2);
    for (int i = 1; i <= 4; i++)
        loft_ring(&hose->loft, v3_mix(elbow, v3_add_scaled(wrist, down, 0.8), i / 4.0), 2.5, 2.5, 2);
    loft_cap_start(&hose->loft, 0.4, 2, 1);
    loft_cap_end(&hose->loft, 0.4, 2, 1);
    hose->spread = 0.12;
    part_link(hose, j->chest, 0.03);
    part_link(hose, j->upper_arm, 0.18);
    part_link(hose, j->upper_arm, 0.34);
    part_link(hose, j->forearm, 0.70);
    part_link(hose, j->hand, 0.97);
    figure_mirror(figure, hose);

    struct part *pad = figure_part(figure, "shoulder", PIP_SHELL, paint_shoulder);
    struct v3 out = v3_unit(v3(0, 0.86, 0.5));
    pad->loft.axis = v3_scale(out, -1);
    pad->loft.side = v3(1, 0, 0);
    pad->columns = 12;
    loft_ring(&pad->loft, v3_add_scaled(shoulder, out, 0.4), 4.5, 4.5, 2);
    loft_ring(&pad->loft, v3_add_scaled(shoulder, out, -0.6), 4.2, 4.2, 2);
    loft_cap_start(&pad->loft, 3.4, 2, 3);
    loft_cap_end(&pad->loft, 0.8, 2.6, 1);
    part_link(pad, j->upper_arm, 0);
    figure_mirror(figure, pad);
}

static void add_finger(struct pip *pip, const char *name, struct v3 from, struct v3 to, double radius, int joint)
{
    struct part *finger = figure_part(&pip->figure, name, PIP_SHELL, paint_glove);
    finger->loft.side = v3(1, 0, 0.3);
    finger->columns = 7;
    loft_ring(&finger->loft, from, radius, radius, 2);
    loft_ring(&finger->loft, v3_mix(from, to, 0.55), radius * 1.08, radius * 1.08, 2);
    loft_ring(&finger->loft, to, radius, radius, 2);
    loft_cap_start(&finger->loft, 0.3, 2, 1);
    loft_cap_end(&finger->loft, radius * 0.85, 2, 2);
    part_link(finger, pip->joints.hand, 0.1);
    part_link(finger, joint, 0.5);
    figure_mirror(&pip->figure, finger);
}

static void add_hand(struct pip *pip)
{
    struct figure *figure = &pip->figure;
    const struct pip_joints *j = &pip->joints;
    struct v3 wrist = figure->rig.joints[j->hand].rest, elbow = figure->rig.joints[j->forearm].rest;
    struct v3 down = v3_unit(v3_sub(wrist, elbow)), in = v3_unit(v3_cross(down, v3(1, 0, 0)));

    struct part *cuff = figure_part(figure, "cuff", PIP_SHELL, paint_cuff);
    cuff->loft.axis = down;
    cuff->loft.side = v3(1, 0, 0);
    cuff->columns = 12;
    loft_ring(&cuff->loft, v3_add_scaled(wrist, down, -0.8), 3.6, 3.6, 2);
    loft_ring(&cuff->loft, v3_add_scaled(wrist, down, 0.3), 4.3, 4.3, 2);
    loft_ring(&cuff->loft, v3_add_scaled(wrist, down, 1.4), 3.9, 3.9, 2);
    loft_cap_start(&cuff->loft, 0.7, 2.5, 1);
    loft_cap_end(&cuff->loft, 0.5, 2.5, 1);
    part_link(cuff, j->hand, 0);
    figure_mirror(figure, cuff);

    struct part *palm = figure_part(figure, "palm", PIP_SHELL, paint_glove);
    palm->loft.axis = down;
    palm->loft.side = v3(1, 0, 0);
    palm->columns = 12;
    loft_ring(&palm->loft, v3_add_scaled(wrist, down, 1.0), 3.0, 2.8, 2.2);
    loft_ring(&palm->loft, v3_add_scaled(wrist, down, 3.2), 4.4, 3.4, 2.3);
    loft_ring(&palm->loft, v3_add_scaled(wrist, down, 5.6), 4.9, 3.5, 2.4);
    loft_cap_start(&palm->loft, 0.3, 2, 1);
    loft_cap_end(&palm->loft, 2.4, 2.2, 3);
    part_link(palm, j->hand, 0);
    figure_mirror(figure, palm);

    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"finger_1", "finger_2", "finger_3"};
        struct v3 base_at = v3_add_scaled(v3_add(wrist, v3(3.2 - 3.2 * i, 0, 0)), down, 6.0);
        struct v3 tip = v3_add_scaled(v3_add_scaled(base_at, down, i == 1 ? 4.0 : 3.4), in, 0.9);
        tip.x += 0.5 - 0.5 * i;
        add_finger(pip, names[i], base_at, tip, 1.75, j->fingers);
    }
    struct v3 root = v3_add_scaled(v3_add(wrist, v3(3.2, 0, 0)), down, 2.8);
    struct v3 tip = v3_add_scaled(v3_add_scaled(v3_add(root, v3(3.2, 0, 0)), down, 2.6), in, 0.8);
    add_finger(pip, "thumb", root, tip, 1.7, j->thumb);
}

static void add_leg(struct pip *pip)
{
    struct figure *figure = &pip->figure;
    const struct pip_joints *j = &pip->joints;
    const struct rig_joint *joints = figure->rig.joints;
    struct v3 hip = joints[j->thigh].rest, knee = joints[j->shin].rest, ankle = joints[j->foot].rest;

    struct part *hose = figure_part(figure, "leg", PIP_CLOTH, paint_hose);
    hose->loft.side = v3(1, 0, 0);
    hose->columns = 10;
    for (int i = 0; i <= 3; i++)
        loft_ring(&hose->loft, v3_mix(hip, knee, i / 3.0), 3.6 - 0.1 * i, 3.6 - 0.1 * i, 2);
    for (int i = 1; i <= 3; i++)
        loft_ring(&hose->loft, v3_mix(knee, ankle, i / 3.0), 3.3, 3.3, 2);
    loft_cap_start(&hose->loft, 0.5, 2, 1);
    loft_cap_end(&hose->loft, 0.5, 2, 1);
    hose->spread = 0.12;
    part_link(hose, j->thigh, 0.3);
    part_link(hose, j->shin, 0.65);
    part_link(hose, j->foot, 0.97);
    figure_mirror(figure, hose);

    struct part *boot = figure_part(figure, "boot", PIP_SHELL, paint_boot);
    boot->loft.axis = v3(1, 0, 0);
    boot->loft.seam_deg = 270;
    boot->loft.shape = on_the_floor;
    boot->columns = 14;
    loft_ring(&boot->loft, v3(-4.6, 7.1, 4.0), 4.9, 4.4, 2.6);
    loft_ring(&boot->loft, v3(-1, 7.2, 4.3), 5.4, 4.9, 2.6);
    loft_ring(&boot->loft, v3(3, 7.4, 3.9), 5.8, 4.8, 2.6);
    loft_ring(&boot->loft, v3(7, 7.7, 3.4), 6.3, 4.4, 2.5);
    loft_ring(&boot->loft, v3(9.5, 7.8, 3.2), 6.3, 4.2, 2.5);
    loft_cap_start(&boot->loft, 2.4, 2.2, 3);
    loft_cap_end(&boot->loft, 4.6, 2.1, 4);
    part_link(boot, j->foot, 0.55);
    part_link(boot, j->toes, 0.75);
    boot->spread = 0.05;
    figure_mirror(figure, boot);

    struct part *shaft = figure_part(figure, "boot_cuff", PIP_SHELL, paint_cuff);
    shaft->loft.axis = v3(0, 0, -1);
    shaft->columns = 12;
    loft_ring(&shaft->loft, v3(-0.2, 7, 10.6), 4.4, 4.4, 2);
    loft_ring(&shaft->loft, v3(-0.2, 7, 9.4), 5.2, 5.2, 2);
    loft_ring(&shaft->loft, v3(-0.2, 7, 7.8), 5.0, 5.0, 2);
    loft_cap_start(&shaft->loft, 0.6, 2.5, 1);
    loft_cap_end(&shaft->loft, 0.6, 2.5, 1);
    part_link(shaft, j->foot, 0);
    figure_mirror(figure, shaft);
}

void pip_build(struct pip *pip)
{
    struct figure *figure = &pip->figure;
    add_joints(pip);
    figure->coat_count = 3;
    figure->coats[PIP_SHELL] = (struct coat){.name = "shell", .shader = "models/pip/shell", .size = 512};
    figure->coats[PIP_CLOTH] = (struct coat){.name = "cloth", .shader = "models/pip/cloth", .size = 256};
    figure->coats[PIP_FACE] = (struct coat){.name = "face", .shader = "models/pip/face", .size = 256};
    add_head(pip);
    add_eye(pip, "eye_l", 5.6);
    add_eye(pip, "eye_r", -5.6);
    add_antenna(pip);
    add_body(pip);
    add_scarf(pip);
    add_arm(pip);
    add_hand(pip);
    add_leg(pip);
    figure_finish(figure);
}
