#include "pip_paint.h"

/* The palette: a warm white shell with teal trim, dark rubber, and the scarf as the one loud colour. */
static const uint32_t WHITE = 0xF3E9D8, TEAL = 0x2FA7A4, NAVY = 0x2B3350, RED = 0xE2463C, CREAM = 0xFFE3B0,
                      AMBER = 0xF5A524, LEATHER = 0x9A5F36, SOLE = 0x3A3F58, GLOW = 0x7CF4FF, SCREEN = 0x141A33;

static struct paint base(uint32_t rgb)
{
    return (struct paint){color(rgb), 0};
}

static void mottle(struct paint *paint, const struct texel *texel, double amount)
{
    double n = noise(v3_scale(texel->p, 0.35)) + 0.5 * noise(v3_scale(texel->p, 0.9));
    paint->color = v3_scale(paint->color, 1 + amount * n);
}

struct paint pip_paint_head(const struct texel *t)
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
        for (int i = -1; i <= 1; i++) {
            double slot = in_stroke(y, z, -3.8, -1.2 + i * 2.7, 3.8, -1.2 + i * 2.7, 1.3);
            lay(&out, v3_mix(color(WHITE), color(SOLE), 0.85), cover(slot, 0.22));
            out.height -= 0.3 * smooth(0.2, -0.3, slot);
        }
    }
    groove(&out, p.x - 1.6 - 20 * (z > 7.0), 0.3, 0.2);
    if (front > 0.0 && t->v > 0.86)
        lay(&out, color(NAVY), smooth(-0.05, 0.25, front));
    if (t->v > 0.93)
        out.color = color(SCREEN);
    shadow(&out, t, 0.75);
    return out;
}

struct paint pip_paint_torso(const struct texel *t)
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
struct paint pip_paint_hose(const struct texel *t)
{
    struct paint out = base(NAVY);
    double rings = loft_length(&t->part->loft) / 1.35;
    double wave = cos(t->v * rings * 2 * PI);
    out.height = 0.22 * wave;
    out.color = v3_scale(out.color, 1.0 + 0.22 * wave);
    shadow(&out, t, 0.6);
    return out;
}

struct paint pip_paint_boot(const struct texel *t)
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

struct paint pip_paint_cuff(const struct texel *t)
{
    struct paint out = base(TEAL);
    mottle(&out, t, 0.01);
    double band = (t->v - 0.5) * loft_length(&t->part->loft);
    lay(&out, shade(color(TEAL), 1.3), 0.5 * smooth(1.2, 0.2, fabs(band + 0.9)));
    groove(&out, (t->v - 0.5) * loft_length(&t->part->loft), 0.3, 0.12);
    shadow(&out, t, 0.7);
    return out;
}

struct paint pip_paint_boot_cuff(const struct texel *t)
{
    struct paint out = base(WHITE);
    mottle(&out, t, 0.01);
    groove(&out, (t->v - 0.5) * loft_length(&t->part->loft), 0.3, 0.12);
    shadow(&out, t, 0.7);
    return out;
}

struct paint pip_paint_glove(const struct texel *t)
{
    struct paint out = base(WHITE);
    mottle(&out, t, 0.012);
    shadow(&out, t, 0.7);
    return out;
}

struct paint pip_paint_shoulder(const struct texel *t)
{
    struct paint out = base(WHITE);
    double d = (t->v - 0.52) * loft_length(&t->part->loft);
    lay(&out, color(TEAL), cover(fabs(d) - 0.9, 0.15));
    groove(&out, fabs(d) - 0.95, 0.22, 0.1);
    shadow(&out, t, 0.7);
    return out;
}

struct paint pip_paint_ear(const struct texel *t)
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

struct paint pip_paint_scarf(const struct texel *t)
{
    struct paint out = base(RED);
    double angle = 2 * PI * t->u, fold = sin(angle * 7 + 3 * sin(angle * 2) + t->v * 9);
    out.height = 0.3 * fold;
    out.color = v3_scale(out.color, 1 + 0.10 * fold);
    double wrap = (t->v - 0.47) * loft_length(&t->part->loft);
    lay(&out, v3_scale(color(RED), 0.5), 0.8 * smooth(1.1, 0, fabs(wrap)));
    shadow(&out, t, 0.75);
    return out;
}

struct paint pip_paint_tail(const struct texel *t)
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

struct paint pip_paint_pouch(const struct texel *t)
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

struct paint pip_paint_screen(const struct texel *t)
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

struct paint pip_paint_eye(const struct texel *t)
{
    struct paint out = base(GLOW);
    double y = t->p.y > 0 ? t->p.y - 5.6 : t->p.y + 5.6, z = t->p.z - 52.8;
    out.color = v3_mix(color(0x4FE3FA), color(0xCFFDFF), smooth(-4, 4, z));
    lay(&out, color(0x22B4E0), smooth(0.74, 1.0, hypot(y / 2.7, z / 4.3)) * 0.7);
    lay(&out, color(0xFFFFFF), cover(hypot((y - 0.75) / 0.85, (z - 1.9) / 1.15) - 1, 0.22));
    lay(&out, color(0xFFFFFF), 0.8 * cover(in_circle(y + 0.8, z + 1.9, 0.55), 0.2));
    return out;
}

struct paint pip_paint_antenna(const struct texel *t)
{
    struct paint out = base(NAVY);
    shadow(&out, t, 0.5);
    return out;
}

struct paint pip_paint_bulb(const struct texel *t)
{
    struct paint out = base(0xFFB52E);
    out.color = v3_mix(color(0xF07A1E), color(0xFFE27A), smooth(-0.9, 0.9, t->n.z));
    return out;
}
