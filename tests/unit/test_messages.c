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

TEST(a_message_arrives_as_it_was_sent)
{
    static const enum message_kind kinds[] = {MESSAGE_PAGES, MESSAGE_WARNING, MESSAGE_STARTED,
                                              MESSAGE_INPUT, MESSAGE_DONE,    MESSAGE_FAILED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct message message = send_and_read(kinds[i], JOB_MOST_CELLS, "grunt.md2: frame 12");
        assert_int_equal(message.kind, kinds[i]);
        assert_int_equal(message.number, JOB_MOST_CELLS);
        assert_string_equal(message.text, "grunt.md2: frame 12");
    }
}

TEST(no_text_arrives_as_an_empty_one)
{
    assert_string_equal(send_and_read(MESSAGE_PAGES, 7, NULL).text, "");
    assert_string_equal(send_and_read(MESSAGE_DONE, 0, "").text, "");
}

TEST(a_text_that_is_too_long_is_cut)
{
    static char text[2 * POOL_MAX_MESSAGE];
    memset(text, 'x', sizeof text - 1);
    struct message message = send_and_read(MESSAGE_WARNING, 0, text);
    assert_int_equal(sent_size, POOL_MAX_MESSAGE);
    assert_int_equal(strlen(message.text), POOL_MAX_MESSAGE - 1 - 4 - 1);
}

TEST(a_supervisor_that_is_gone_is_told)
{
    send_result = -1;
    assert_int_equal(message_send(NULL, &(struct message){.kind = MESSAGE_DONE}), -1);
    send_result = 0;
}

TEST(a_message_cut_short_is_none)
{
    struct message message;
    send_and_read(MESSAGE_FAILED, 1, "why");
    for (size_t size = 0; size < sent_size; size++)
        if (size < 6 || sent[size - 1])
            assert_false(message_read((struct bytes){sent, size}, &message));
}

TEST(text_without_its_end_is_none)
{
    struct message message;
    send_and_read(MESSAGE_FAILED, 1, "why");
    sent[sent_size - 1] = 'x';
    assert_false(message_read((struct bytes){sent, sent_size}, &message));
}

TEST(only_known_kinds_are_messages)
{
    struct message message;
    send_and_read(MESSAGE_DONE, 1, "");
    for (int kind = 0; kind < 256; kind++) {
        sent[0] = (uint8_t)kind;
        assert_int_equal(message_read((struct bytes){sent, sent_size}, &message),
                         kind != 0 && strchr("pwtsiadf", kind) != NULL);
    }
}

static bool takes_pages(uint32_t number)
{
    struct message message;
    assert_int_equal(message_send(NULL, &(struct message){.kind = MESSAGE_PAGES, .number = number}), 0);
    return message_read((struct bytes){sent, sent_size}, &message);
}

TEST(a_job_has_a_page_at_least_and_no_more_than_cells)
{
    assert_false(takes_pages(0));
    assert_true(takes_pages(1));
    assert_true(takes_pages(JOB_MOST_CELLS));
    assert_false(takes_pages(JOB_MOST_CELLS + 1));
    assert_false(takes_pages(UINT32_MAX));
}
