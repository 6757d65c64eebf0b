#include "run/message.h"

#include <string.h>

enum { HEADER_SIZE = 1 + 4 };

int message_send(struct worker *worker, const struct message *message)
{
    uint8_t data[POOL_MAX_MESSAGE];
    const char *text = message->text ? message->text : "";
    size_t length = strnlen(text, sizeof data - HEADER_SIZE - 1);
    data[0] = (uint8_t)message->kind;
    memcpy(data + 1, &message->number, 4);
    memcpy(data + HEADER_SIZE, text, length);
    data[HEADER_SIZE + length] = '\0';
    return worker_send(worker, (struct bytes){data, HEADER_SIZE + length + 1});
}

static bool is_kind(uint8_t byte)
{
    return byte && strchr("pwtsiadf", byte);
}

bool message_read(struct bytes bytes, struct message *out)
{
    if (bytes.size < HEADER_SIZE + 1 || bytes.data[bytes.size - 1] != '\0' || !is_kind(bytes.data[0]))
        return false;
    struct message message = {
        .kind = (enum message_kind)bytes.data[0],
        .text = (const char *)bytes.data + HEADER_SIZE,
    };
    memcpy(&message.number, bytes.data + 1, 4);
    if (message.kind == MESSAGE_PAGES && (message.number == 0 || message.number > MESSAGE_MOST_PAGES))
        return false;
    *out = message;
    return true;
}
