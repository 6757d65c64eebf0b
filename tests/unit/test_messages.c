/* Messages, over a pool of our own: worker_send below keeps what would go to the supervisor. */

#include "job/job.h"
#include "run/messages.h"
#include "test.h"

static uint8_t sent[POOL_MAX_MESSAGE + 1];
static size_t sent_size;
static int send_result;

int worker_send(struct worker *worker, struct bytes message)
{
    (void)worker;
    assert_true(message.size <= POOL_MAX_MESSAGE);
    memcpy(sent, message.data, message.size);
    sent_size = message.size;
    return send_result;
}

static struct message send_and_read(enum message_kind kind, uint32_t number, const char *text)
{
    struct message message;
    assert_int_equal(message_send(NULL, &(struct message){kind, number, text}), 0);
    assert_true(message_read((struct bytes){sent, sent_size}, &message));
    return message;
}

static bool takes_pages(uint32_t number)
{
    struct message message;
    assert_int_equal(message_send(NULL, &(struct message){.kind = MESSAGE_PAGES, .number = number}), 0);
    return message_read((struct bytes){sent, sent_size}, &message);
}

TEST(messages_arrive_or_are_none)
{
    fact("a message arrives as it was sent");
    static const enum message_kind kinds[] = {MESSAGE_PAGES,  MESSAGE_WARNING, MESSAGE_STARTED, MESSAGE_INPUT,
                                              MESSAGE_FRAMED, MESSAGE_DONE,    MESSAGE_FAILED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct message message = send_and_read(kinds[i], LAYOUT_MOST_CELLS, "grunt.md2: frame 12");
        assert_int_equal(message.kind, kinds[i]);
        assert_int_equal(message.number, LAYOUT_MOST_CELLS);
        assert_string_equal(message.text, "grunt.md2: frame 12");
    }
    fact("no text arrives as an empty one");
    assert_string_equal(send_and_read(MESSAGE_PAGES, 7, NULL).text, "");
    assert_string_equal(send_and_read(MESSAGE_DONE, 0, "").text, "");
    fact("a text that is too long is cut");
    static char text[2 * POOL_MAX_MESSAGE];
    memset(text, 'x', sizeof text - 1);
    struct message message = send_and_read(MESSAGE_WARNING, 0, text);
    assert_int_equal(sent_size, POOL_MAX_MESSAGE);
    assert_int_equal(strlen(message.text), POOL_MAX_MESSAGE - 1 - 4 - 1);
    fact("a supervisor that is gone is told");
    send_result = -1;
    assert_int_equal(message_send(NULL, &(struct message){.kind = MESSAGE_DONE}), -1);
    send_result = 0;
    fact("a message cut short is none");
    send_and_read(MESSAGE_FAILED, 1, "why");
    for (size_t size = 0; size < sent_size; size++)
        if (size < 6 || sent[size - 1])
            assert_false(message_read((struct bytes){sent, size}, &message));
    fact("text without its end is none");
    send_and_read(MESSAGE_FAILED, 1, "why");
    sent[sent_size - 1] = 'x';
    assert_false(message_read((struct bytes){sent, sent_size}, &message));
    fact("only known kinds are messages");
    send_and_read(MESSAGE_DONE, 1, "");
    for (int kind = 0; kind < 256; kind++) {
        sent[0] = (uint8_t)kind;
        assert_int_equal(message_read((struct bytes){sent, sent_size}, &message),
                         kind != 0 && strchr("pwrtsiavdf", kind) != NULL);
    }
    fact("a job has a page at least and no more than cells");
    assert_false(takes_pages(0));
    assert_true(takes_pages(1));
    assert_true(takes_pages(LAYOUT_MOST_CELLS));
    assert_false(takes_pages(LAYOUT_MOST_CELLS + 1));
    assert_false(takes_pages(UINT32_MAX));
}
