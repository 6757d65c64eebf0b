#include "run/worker.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int send_packet(int fd, enum packet kind, struct bytes body)
{
    uint8_t head = (uint8_t)kind;
    struct iovec parts[] = {{&head, 1}, {(void *)(uintptr_t)body.data, body.size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t sent;
    do {
        sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

int worker_send(struct worker *worker, struct bytes message)
{
    assert(worker->at_work && !worker->last.length);
    assert(message.size <= POOL_MAX_MESSAGE);
    if (worker->take)
        return worker->take(worker->take_context, message) ? 0 : -1;
    return send_packet(worker->fd, PACKET_MESSAGE, message);
}

void worker_send_all(struct worker *worker, const char *text, size_t length)
{
    for (; length > POOL_MAX_MESSAGE; text += POOL_MAX_MESSAGE, length -= POOL_MAX_MESSAGE)
        worker_send(worker, (struct bytes){(const uint8_t *)text, POOL_MAX_MESSAGE});
    buffer_add(&worker->last, text, length);
}

const char *worker_text(const struct worker *worker)
{
    return worker->item.text;
}

/* Receives an item, which may bring memory with it, and maps that. Returns false when the supervisor is gone. */
static bool receive_item(struct worker *worker, struct sent_item *item)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr head;
    } control;
    struct iovec part = {item, sizeof *item};
    struct msghdr packet = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t size;
    do {
        size = recvmsg(worker->fd, &packet, MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    if (size < (ssize_t)offsetof(struct sent_item, text))
        return false;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&packet);
    if (head && head->cmsg_type == SCM_RIGHTS) {
        int fd;
        memcpy(&fd, CMSG_DATA(head), sizeof fd);
        worker->memory = item->memory;
        worker->memory.data = mmap(NULL, item->memory.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (worker->memory.data == MAP_FAILED)
            worker->memory.data = NULL;
        close(fd);
    }
    return true;
}

static void release_memory(struct worker *worker)
{
    if (worker->memory.data)
        munmap(worker->memory.data, worker->memory.size);
    worker->memory.data = NULL;
}

const struct shared_memory *worker_share(struct worker *worker, uint64_t size, uint64_t part)
{
    const struct shared_memory wanted = {NULL, size, part};
    assert(worker->at_work);
    release_memory(worker);
    if (worker->take)
        return NULL;
    struct sent_item *answer = malloc(sizeof *answer);
    if (answer &&
        send_packet(worker->fd, PACKET_SHARE, (struct bytes){(const uint8_t *)&wanted, sizeof wanted}) == 0)
        receive_item(worker, answer);
    free(answer);
    return worker->memory.data ? &worker->memory : NULL;
}

void worker_leave(struct worker *worker)
{
    worker->leaves = true;
}

char *worker_note(struct worker *worker)
{
    return worker->shared->note;
}

void worker_hold(struct worker *worker, bool hold)
{
    atomic_store(&worker->shared->holds, hold);
    if (!hold || !atomic_load(&worker->shared->ending))
        return;
    atomic_store(&worker->shared->holds, false);
    for (;;)
        pause(); /* until we are killed, which is now */
}

_Noreturn void worker_run(const struct worker_calls *calls, int fd, struct shared *shared)
{
    struct worker worker = {.fd = fd, .shared = shared};
    struct error err;
    if (calls->start && calls->start(calls->context, &worker, &err) != 0) {
        send_packet(fd, PACKET_NOT_STARTED, (struct bytes){(uint8_t *)err.text, strlen(err.text)});
        _exit(WORKER_NOT_STARTED);
    }

    struct sent_item *item = &worker.item;
    int sent = send_packet(fd, PACKET_STARTED, (struct bytes){0});
    while (sent == 0 && !worker.leaves) {
        if (!receive_item(&worker, item))
            break;
        atomic_store(&shared->taken, true);
        if (!item->memory.size) {
            worker.at_work = true;
            calls->work(calls->context, &worker, item->number);
            worker.at_work = false;
        } else if (worker.memory.data) {
            calls->help(calls->context, &worker, item->number, &worker.memory);
        }
        release_memory(&worker);
        sent = send_packet(fd, PACKET_FINISHED,
                           (struct bytes){(const uint8_t *)worker.last.text, worker.last.length});
        buffer_clear(&worker.last);
        atomic_store(&shared->holds, false);
    }
    if (calls->finish)
        calls->finish(calls->context);
    _exit(0);
}
