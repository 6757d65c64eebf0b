#include "pip.h"

#include "pip_paint.h"

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
    j->fingers = rig_pair(rig, "fingers_l", "fingers_r", j->hand, v3(1, 28.6, 16.0));
    j->thumb = rig_pair(rig, "thumb_l", "thumb_r", j->hand, v3(4.4, 25.6, 18.4));
    j->thigh = rig_pair(rig, "thigh_l", "thigh_r", j->hips, v3(0, 6, 19.5));
    j->shin = rig_pair(rig, "shin_l", "shin_r", j->thigh, v3(0.7, 6.6, 13));
    j->foot = rig_pair(rig, "foot_l", "foot_r", j->shin, v3(0, 7, 6.5));
    j->toes = rig_pair(rig, "toes_l", "toes_r", j->foot, v3(7, 7.3, 2.5));
    j->scarf = rig_joint(rig, "scarf_1", j->chest, v3(-8.5, 5, 37));
    rig_joint(rig, "scarf_2", j->scarf, v3(-12.5, 6.2, 34.5));
    rig_joint(rig, "scarf_3", j->scarf + 1, v3(-16.5, 7, 31));
    rig_joint(rig, "scarf_4", j->scarf + 2, v3(-20, 7.6, 27));
}

/* Where the seam of an arm's parts runs down: on the side towards the body, or behind. */
static const double SEAM_INSIDE = 270, SEAM_BEHIND = 180;

static void on_the_floor(struct v3 *point, double u, double v)
{
    (void)u;
    (void)v;
    point->z = fmax(point->z, 0);
}

/* Wrapped twice, not evenly: it sags in front, and bulges here and there. */
static void scarf_folds(struct v3 *point, double u, double v)
{
    double angle = 2 * PI * u, out = sin(v * PI), front = -cos(angle);
    double fold = 0.45 * sin(3 * angle + 1 + 4 * v) + 0.3 * sin(5 * angle - 6 * v);
    double r = hypot(point->x, point->y), grown = r + fold * out * smooth(7, 9, r);
    if (r > 0.1) {
        point->x *= grown / r;
        point->y *= grown / r;
    }
    point->z += out * (0.45 * sin(2 * angle + 2) - 0.9 * smooth(-0.4, 1, front) + 0.3);
}

static void add_head(struct pip *pip)
{
    struct figure *figure = &pip->figure;
    struct part *head = figure_part(figure, "head", PIP_SHELL, pip_paint_head);
    head->loft.axis = v3(1, 0, 0);
    head->loft.seam_deg = 270;
    head->columns = 24;
    head->painted_poles = true;
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

    struct part *screen = figure_part(figure, "screen", PIP_FACE, pip_paint_screen);
    screen->loft.axis = v3(1, 0, 0);
    screen->loft.seam_deg = 270;
    screen->columns = 20;
    screen->painted_poles = true;
    loft_ring(&screen->loft, v3(11.2, 0, 52), 0, 0, 2.5);
    loft_ring(&screen->loft, v3(11.3, 0, 52), 11.6, 8.7, 3.0);
    loft_ring(&screen->loft, v3(11.9, 0, 52), 11.6, 8.7, 3.0);
    loft_cap_end(&screen->loft, 1.5, 2, 3);
    part_link(screen, pip->joints.head, 0);

    struct part *ear = figure_part(figure, "ear", PIP_SHELL, pip_paint_ear);
    ear->loft.axis = v3(0, 1, 0);
    ear->loft.side = v3(1, 0, 0);
    ear->loft.seam_deg = 90;
    ear->columns = 12;
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
    struct part *eye = figure_part(&pip->figure, name, PIP_FACE, pip_paint_eye);
    eye->loft.axis = v3(1, 0, 0);
    eye->loft.seam_deg = 270;
    eye->columns = 12;
    eye->painted_poles = true;
    eye->density = 2;
    loft_ring(&eye->loft, v3(12.4, y, 52.8), 2.7, 4.3, 2.3);
    loft_ring(&eye->loft, v3(13.3, y, 52.8), 2.7, 4.3, 2.3);
    loft_cap_end(&eye->loft, 0.8, 2.5, 2);
    loft_cap_start(&eye->loft, 0.3, 3, 1);
    part_link(eye, pip->joints.eye_top, 0);
    part_link(eye, pip->joints.eye_bottom, 1);
    eye->weigh = squash_eye;
}

static void add_antenna(struct pip *pip)
{
    struct part *stem = figure_part(&pip->figure, "antenna", PIP_CLOTH, pip_paint_antenna);
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

    struct part *bulb = figure_part(&pip->figure, "bulb", PIP_FACE, pip_paint_bulb);
    bulb->columns = 8;
    bulb->loft.axis = v3(0, 0, -1);
    loft_ring(&bulb->loft, v3(-7.6, 0, 72.6), 2.1, 2.1, 2);
    loft_cap_start(&bulb->loft, 2.1, 2, 3);
    loft_cap_end(&bulb->loft, 2.1, 2, 3);
    part_link(bulb, pip->joints.antenna + 1, 0);
}

static void add_body(struct pip *pip)
{
    const struct pip_joints *j = &pip->joints;
    struct part *torso = figure_part(&pip->figure, "torso", PIP_SHELL, pip_paint_torso);
    torso->loft.axis = v3(0, 0, -1);
    torso->loft.seam_deg = 270;
    torso->columns = 20;
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
    loft_cap_end(&torso->loft, 3.0, 2.2, 2);
    torso->spread = 0.1;
    part_link(torso, j->chest, 0.38);
    part_link(torso, j->spine, 0.58);
    part_link(torso, j->hips, 0.75);

    struct part *pouch = figure_part(&pip->figure, "pouch", PIP_CLOTH, pip_paint_pouch);
    pouch->loft.axis = v3(0, 0, -1);
    pouch->columns = 8;
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
    struct part *scarf = figure_part(&pip->figure, "scarf", PIP_CLOTH, pip_paint_scarf);
    scarf->loft.axis = v3(0, 0, -1);
    scarf->loft.shape = scarf_folds;
    scarf->columns = 20;
    loft_ring(&scarf->loft, v3(0, 0, 40.6), 6, 6, 2);
    loft_ring(&scarf->loft, v3(0, 0, 41.0), 9.2, 8.8, 2);
    loft_ring(&scarf->loft, v3(0, 0, 39.6), 10.9, 10.3, 2);
    loft_ring(&scarf->loft, v3(0, 0, 38.5), 10.3, 9.8, 2);
    loft_ring(&scarf->loft, v3(0.3, 0, 37.2), 12.0, 11.3, 2);
    loft_ring(&scarf->loft, v3(0.4, 0, 35.4), 11.6, 10.9, 2);
    loft_ring(&scarf->loft, v3(0.3, 0, 34.6), 8, 7, 2);
    loft_cap_start(&scarf->loft, 0.2, 2, 1);
    loft_cap_end(&scarf->loft, 0.2, 2, 1);
    part_link(scarf, j->neck, 0.3);
    part_link(scarf, j->chest, 0.6);
    scarf->spread = 0.15;

    struct part *knot = figure_part(&pip->figure, "knot", PIP_CLOTH, pip_paint_scarf);
    knot->loft.axis = v3(-1, 0, 0);
    knot->columns = 8;
    loft_ring(&knot->loft, v3(-9.6, 5, 37.6), 2.6, 2.3, 2.3);
    loft_cap_start(&knot->loft, 1.8, 2, 2);
    loft_cap_end(&knot->loft, 1.6, 2, 2);
    part_link(knot, j->chest, 0);

    struct part *tail = figure_part(&pip->figure, "scarf_tail", PIP_CLOTH, pip_paint_tail);
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

    struct part *hose = figure_part(figure, "arm", PIP_CLOTH, pip_paint_hose);
    hose->loft.side = v3(1, 0, 0);
    hose->loft.seam_deg = SEAM_INSIDE;
    hose->columns = 8;
    for (int i = 0; i <= 3; i++)
        loft_ring(&hose->loft, v3_mix(v3_add_scaled(shoulder, v3(0, -1, 0.6), 1.5), elbow, i / 3.0), 2.5, 2.5, 2);
    for (int i = 1; i <= 3; i++)
        loft_ring(&hose->loft, v3_mix(elbow, v3_add_scaled(wrist, down, 0.8), i / 3.0), 2.5, 2.5, 2);
    loft_cap_start(&hose->loft, 0.4, 2, 1);
    loft_cap_end(&hose->loft, 0.4, 2, 1);
    hose->spread = 0.12;
    part_link(hose, j->chest, 0.03);
    part_link(hose, j->upper_arm, 0.18);
    part_link(hose, j->upper_arm, 0.34);
    part_link(hose, j->forearm, 0.70);
    part_link(hose, j->hand, 0.97);
    figure_mirror(figure, hose);

    struct part *pad = figure_part(figure, "shoulder", PIP_SHELL, pip_paint_shoulder);
    struct v3 out = v3_unit(v3(0, 0.86, 0.5));
    pad->loft.axis = v3_scale(out, -1);
    pad->loft.side = v3(1, 0, 0);
    pad->loft.seam_deg = SEAM_INSIDE;
    pad->columns = 10;
    loft_ring(&pad->loft, v3_add_scaled(shoulder, out, 0.4), 4.5, 4.5, 2);
    loft_ring(&pad->loft, v3_add_scaled(shoulder, out, -0.6), 4.2, 4.2, 2);
    loft_cap_start(&pad->loft, 3.4, 2, 2);
    loft_cap_end(&pad->loft, 0.8, 2.6, 1);
    part_link(pad, j->upper_arm, 0);
    figure_mirror(figure, pad);
}

static void add_finger(struct pip *pip, const char *name, struct v3 from, struct v3 to, double radius, int joint)
{
    struct part *finger = figure_part(&pip->figure, name, PIP_SHELL, pip_paint_glove);
    finger->loft.side = v3(1, 0, 0.3);
    finger->columns = 6;
    loft_ring(&finger->loft, from, radius, radius, 2);
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

    struct part *cuff = figure_part(figure, "cuff", PIP_SHELL, pip_paint_cuff);
    cuff->loft.axis = down;
    cuff->loft.side = v3(1, 0, 0);
    cuff->loft.seam_deg = SEAM_BEHIND;
    cuff->columns = 10;
    loft_ring(&cuff->loft, v3_add_scaled(wrist, down, -0.9), 3.7, 3.7, 2);
    loft_ring(&cuff->loft, v3_add_scaled(wrist, down, 0.5), 4.6, 4.6, 2);
    loft_ring(&cuff->loft, v3_add_scaled(wrist, down, 1.7), 4.2, 4.2, 2);
    loft_cap_start(&cuff->loft, 0.7, 2.5, 1);
    loft_cap_end(&cuff->loft, 0.5, 2.5, 1);
    part_link(cuff, j->hand, 0);
    figure_mirror(figure, cuff);

    struct part *palm = figure_part(figure, "palm", PIP_SHELL, pip_paint_glove);
    palm->loft.axis = down;
    palm->loft.side = v3(1, 0, 0);
    palm->loft.seam_deg = SEAM_BEHIND;
    palm->columns = 10;
    loft_ring(&palm->loft, v3_add_scaled(wrist, down, 1.2), 3.4, 3.2, 2.2);
    loft_ring(&palm->loft, v3_add_scaled(wrist, down, 3.8), 5.2, 4.1, 2.3);
    loft_ring(&palm->loft, v3_add_scaled(wrist, down, 6.6), 5.7, 4.2, 2.4);
    loft_cap_start(&palm->loft, 0.3, 2, 1);
    loft_cap_end(&palm->loft, 2.8, 2.2, 2);
    part_link(palm, j->hand, 0);
    figure_mirror(figure, palm);

    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"finger_1", "finger_2", "finger_3"};
        struct v3 from = v3_add_scaled(v3_add(wrist, v3(3.7 - 3.7 * i, 0, 0)), down, 7.2);
        struct v3 tip = v3_add_scaled(v3_add_scaled(from, down, i == 1 ? 4.4 : 3.8), in, 1.0);
        tip.x += 0.5 - 0.5 * i;
        add_finger(pip, names[i], from, tip, 2.1, j->fingers);
    }
    struct v3 root = v3_add_scaled(v3_add(wrist, v3(3.6, 0, 0)), down, 3.4);
    struct v3 tip = v3_add_scaled(v3_add_scaled(v3_add(root, v3(3.9, 0, 0)), down, 2.8), in, 0.9);
    add_finger(pip, "thumb", root, tip, 2.0, j->thumb);
}

static void add_leg(struct pip *pip)
{
    struct figure *figure = &pip->figure;
    const struct pip_joints *j = &pip->joints;
    const struct rig_joint *joints = figure->rig.joints;
    struct v3 hip = joints[j->thigh].rest, knee = joints[j->shin].rest, ankle = joints[j->foot].rest;

    struct part *hose = figure_part(figure, "leg", PIP_CLOTH, pip_paint_hose);
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

    struct part *boot = figure_part(figure, "boot", PIP_SHELL, pip_paint_boot);
    boot->loft.axis = v3(1, 0, 0);
    boot->loft.seam_deg = 270;
    boot->loft.shape = on_the_floor;
    boot->columns = 12;
    loft_ring(&boot->loft, v3(-4.6, 7.1, 4.0), 4.9, 4.4, 2.6);
    loft_ring(&boot->loft, v3(-1, 7.2, 4.3), 5.4, 4.9, 2.6);
    loft_ring(&boot->loft, v3(3, 7.4, 3.9), 5.8, 4.8, 2.6);
    loft_ring(&boot->loft, v3(7, 7.7, 3.4), 6.3, 4.4, 2.5);
    loft_ring(&boot->loft, v3(9.5, 7.8, 3.2), 6.3, 4.2, 2.5);
    loft_cap_start(&boot->loft, 2.4, 2.2, 2);
    loft_cap_end(&boot->loft, 4.6, 2.1, 3);
    part_link(boot, j->foot, 0.55);
    part_link(boot, j->toes, 0.75);
    boot->spread = 0.05;
    figure_mirror(figure, boot);

    struct part *shaft = figure_part(figure, "boot_cuff", PIP_SHELL, pip_paint_boot_cuff);
    shaft->loft.axis = v3(0, 0, -1);
    shaft->columns = 10;
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
