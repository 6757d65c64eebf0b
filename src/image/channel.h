/* Channels that a file describes by masks: BMP and DDS both let a pixel be an integer of any layout, and say which
 * of its bits are the red, the green, the blue and the alpha. */
#ifndef IMAGE_CHANNEL_H
#define IMAGE_CHANNEL_H

#include <stdint.h>

struct channel {
    uint32_t mask;
    unsigned shift;
    uint32_t max; /* 0 when the mask is: no such channel */
};

static inline struct channel channel_from_mask(uint32_t mask)
{
    unsigned shift = mask ? (unsigned)__builtin_ctz(mask) : 0;
    return (struct channel){.mask = mask, .shift = shift, .max = mask >> shift};
}

/* The channel's bits of `pixel` scaled to 0..255, to the nearest; `missing` when there is no such channel. */
static inline uint8_t channel_value(const struct channel *channel, uint32_t pixel, uint8_t missing)
{
    if (channel->max == 0)
        return missing;
    uint32_t value = (pixel & channel->mask) >> channel->shift;
    if (channel->max == 255)
        return (uint8_t)value;
    return (uint8_t)(((uint64_t)value * 255 + channel->max / 2) / channel->max);
}

#endif
