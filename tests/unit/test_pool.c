

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/resources.h"
#include "base/memory.h"
#include "run/pool.h"
#include "test.h"

/* The fake work: an item's number says what the worker does with it. */
enum deed {
    RETURN, /* at once */
    SLEEP_A_LITTLE,
    STALL,     /* for ever */
    STOP,      /* with SIGSTOP: nor does it die of anything but SIGKILL */
    CRASH,     /* SIGSEGV */
    BE_KILLED, /* SIGKILL */
    EXIT_7,
    CALL_EXIT,     /* exit(), as a library might */
    SAY_A_LOT,     /* MANY messages */
    SAY_AND_CRASH, /* FEW messages, which fit into the socket */
    COUNT_FILES,
    SAY_BIG,       /* messages of the largest size, then crash */
    WAIT_FOR_GATE, /* until the test opens the gate */
    OPEN_GATE,
    CHECK_STDIN,
    LEAVE,           /* when the item is finished */
    HANG_UP,         /* closes every file and stays */
    GROW,            /* takes ever more memory */
    GROW_A_LITTLE,   /* takes 20 MiB and gives them back */
    HOLD,            /* finishes when the test lets it */
    HOLD_LONGER,     /* than the one that stalls lives; opens the gate before, and holds again afterwards */
    HOLD_TO_THE_END, /* longer, too; then says more than a socket holds, and returns without letting go */
    HOLD_FOR_EVER,   /* opens the gate */
};

/* What is to happen may take as long as on the busiest machine. What is to happen after a while happens when a test moves
 * the clock. */
enum { MAX_ITEMS = 512, MANY = 500, FEW = 20, BIG_COUNT = 12, WAIT_MS = 100 * 1000, LIMIT_S = 600 };

/* Where the fake start() misbehaves. */
enum start_deed { START_FINE, START_FAILS, START_FAILS_LATER, START_CRASHES, START_STALLS, START_CRASHES_ONCE };

/* Seen by workers and the test alike. */
struct board {
    atomic_int gate;
    atomic_int starts, finishes;
    atomic_int file_count;
    atomic_int stalled;         /* the process, or 0 */
    atomic_int holding, let_go; /* the item that holds, and that which may finish, counted from 1 */
    atomic_int held;            /* how many did */
    atomic_uintptr_t notes[2];  /* where the notes are of two workers */
};

struct fake {
    struct fake *next;
    struct pool_settings settings;
    struct board *board;
    enum deed deeds[MAX_ITEMS];
    size_t item_count, next_item;
    enum start_deed start_deed;

    /* What happened. */
    enum pool_end end;
    int signal_number;
    struct error err;
    struct outcome outcomes[MAX_ITEMS];
    char notes[MAX_ITEMS][64];
    unsigned done_count[MAX_ITEMS], message_count[MAX_ITEMS];
    uint64_t message_bytes[MAX_ITEMS];
    uint64_t order[MAX_ITEMS];
    size_t order_count;
    unsigned worker_of[MAX_ITEMS];
    bool message_after_done, message_wrong;
    pid_t pids[MAX_ITEMS];
    unsigned ticks;

    /* What the supervisor's callbacks shall do. */
    size_t ticked_count;
    bool stop_at_first_failure, kill_after_done, stop_process_after_done, grow, let_die_at_message;
    int raise_at_message, raise_at_done, raise_at_gate;
    uint64_t grow_to;
};

/* The clock. */

static bool dies_in_pause;
static time_t passed_s; /* by which it is ahead */
static time_t
    passes_in_poll_s; /* by which it moves when the supervisor waits next, as if all were stopped meanwhile */

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec += passed_s;
    return result;
}

int poll(struct pollfd *files, nfds_t count, int timeout_ms)
{
    struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000};
    int result = ppoll(files, count, timeout_ms < 0 ? NULL : &timeout, NULL);
    passed_s += passes_in_poll_s;
    passes_in_poll_s = 0;
    return result;
}

/* In a process that has nothing more to do. */
int pause(void)
{
    if (dies_in_pause)
        kill(getpid(), SIGKILL);
    return ppoll(NULL, 0, NULL, NULL);
}

/* The work. */

static void nap(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

static void wait_for(const atomic_int *what, int value)
{
    for (int ms = 0; atomic_load(what) < value; ms++) {
        if (ms == WAIT_MS)
            abort();
        nap(0.001);
    }
}

static size_t count_open_files(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* Waits until a child of ours is dead or stopped, and leaves it to be reaped by the pool. */
static void wait_for_child(pid_t pid, int states)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)pid, &info, states | WNOWAIT) < 0 && errno == EINTR)
        ;
}

static void say(struct worker *worker, size_t count, size_t size)
{
    uint8_t *data = calloc(1, size);
    for (size_t i = 0; i < count; i++) {
        memset(data, (int)i, size);
        if (worker_send(worker, (struct bytes){data, size}) < 0)
            _exit(9);
    }
    free(data);
}

static void check_stdin(void)
{
    char c;
    struct stat input, null_device;
    fstat(STDIN_FILENO, &input);
    stat("/dev/null", &null_device);
    if (read(STDIN_FILENO, &c, 1) != 0 || input.st_rdev != null_device.st_rdev)
        _exit(8);
}

static void hang_up(void)
{
    for (int fd = 0; fd < 64; fd++)
        close(fd);
    for (;;)
        pause();
}

static void grow(size_t mebibytes)
{
    static char *volatile kept; /* or a compiler sees that nobody reads it, and takes none */
    for (size_t i = 0; i < mebibytes; i++) {
        kept = malloc(1 << 20);
        memset(kept, 1, 1 << 20);
        nap(0.001);
        if (mebibytes < 100)
            free(kept);
    }
}

static void stall(struct fake *fake)
{
    atomic_store(&fake->board->stalled, getpid());
    for (;;)
        pause();
}

static void wait_for_the_end_of_the_stalled(struct fake *fake)
{
    wait_for(&fake->board->stalled, 1);
    atomic_store(&fake->board->gate, 1);
    for (int ms = 0; kill(atomic_load(&fake->board->stalled), 0) == 0 && ms < WAIT_MS; ms++)
        nap(0.001);
}

static void hold(struct fake *fake, struct worker *worker, int item)
{
    worker_hold(worker, true);
    atomic_store(&fake->board->holding, item + 1);
    if (fake->deeds[item] == HOLD) {
        wait_for(&fake->board->let_go, item + 1);
    } else if (fake->deeds[item] == HOLD_LONGER) {
        wait_for_the_end_of_the_stalled(fake);
        atomic_fetch_add(&fake->board->held, 1);
        worker_hold(worker, true);
    } else {
        atomic_store(&fake->board->gate, 1);
        stall(fake);
    }
    atomic_fetch_add(&fake->board->held, 1);
    worker_hold(worker, false);
}

static void die_of(int number)
{
    signal(number, SIG_DFL); /* a sanitizer or cmocka may have a handler */
    kill(getpid(), number);
    for (;;)
        pause();
}

static void fake_work(void *context, struct worker *worker, uint64_t item)
{
    struct fake *fake = context;
    snprintf(worker_note(worker), POOL_NOTE_SIZE, "note of %d", (int)item);
    pid_t pid = getpid();
    if (worker_send(worker, (struct bytes){(uint8_t *)&pid, sizeof pid}) < 0)
        _exit(9);

    switch (fake->deeds[item]) {
    case RETURN:
        break;
    case SLEEP_A_LITTLE:
        nap(0.005);
        break;
    case STALL:
        stall(fake);
        break;
    case STOP:
        die_of(SIGSTOP);
        break;
    case CRASH:
        die_of(SIGSEGV);
        break;
    case BE_KILLED:
        die_of(SIGKILL);
        break;
    case EXIT_7:
        _exit(7);
    case CALL_EXIT:
        exit(6);
    case SAY_A_LOT:
        say(worker, MANY, 100);
        break;
    case SAY_AND_CRASH:
        say(worker, FEW, 100);
        die_of(SIGSEGV);
        break;
    case COUNT_FILES:
        wait_for(&fake->board->gate, 1);
        atomic_store(&fake->board->file_count, (int)count_open_files());
        break;
    case SAY_BIG:
        say(worker, BIG_COUNT, POOL_MAX_MESSAGE);
        die_of(SIGSEGV);
        break;
    case WAIT_FOR_GATE:
        wait_for(&fake->board->gate, 1);
        break;
    case OPEN_GATE:
        atomic_store(&fake->board->gate, 1);
        break;
    case LEAVE:
        worker_leave(worker);
        break;
    case CHECK_STDIN:
        check_stdin();
        break;
    case HANG_UP:
        hang_up();
        break;
    case GROW:
        grow(4096);
        break;
    case GROW_A_LITTLE:
        grow(20);
        break;
    case HOLD:
    case HOLD_LONGER:
    case HOLD_FOR_EVER:
        hold(fake, worker, (int)item);
        break;
    case HOLD_TO_THE_END:
        worker_hold(worker, true);
        wait_for_the_end_of_the_stalled(fake);
        say(worker, MANY, 100);
    }
}

static int fake_start(void *context, struct worker *worker, struct error *err)
{
    struct fake *fake = context;
    (void)worker;
    int earlier = atomic_fetch_add(&fake->board->starts, 1);
    switch (fake->start_deed) {
    case START_FINE:
        break;
    case START_FAILS:
        return error_set(err, "no such back end");
    case START_FAILS_LATER:
        return earlier > 0 ? error_set(err, "out of luck") : 0;
    case START_CRASHES:
        die_of(SIGSEGV);
        break;
    case START_STALLS:
        for (;;)
            pause();
    case START_CRASHES_ONCE:
        if (earlier == 1)
            die_of(SIGSEGV);
        break;
    }
    return 0;
}

static void fake_finish(void *context)
{
    struct fake *fake = context;
    atomic_fetch_add(&fake->board->finishes, 1);
}

static bool fake_next(void *context, unsigned worker, uint64_t *item)
{
    struct fake *fake = context;
    if (fake->next_item == fake->item_count)
        return false;
    *item = fake->next_item++;
    fake->worker_of[*item] = worker;
    return true;
}

static bool fake_message(void *context, unsigned worker, uint64_t item, struct bytes message)
{
    struct fake *fake = context;
    (void)worker;
    fake->message_after_done |= fake->done_count[item] > 0;
    if (fake->message_count[item]++ == 0) {
        fake->message_wrong |= message.size != sizeof(pid_t);
        memcpy(&fake->pids[item], message.data, sizeof(pid_t));
        if (fake->let_die_at_message)
            wait_for_child(fake->pids[item], WEXITED);
        if (fake->raise_at_message)
            kill(getpid(), fake->raise_at_message);
        if (fake->grow)
            fake->item_count = fake->grow_to;
        return true;
    }
    fake->message_bytes[item] += message.size;
    fake->message_wrong |= message.data[message.size - 1] != (uint8_t)(fake->message_count[item] - 2);
    return true;
}

static bool fake_done(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct fake *fake = context;
    (void)worker;
    fake->done_count[item]++;
    fake->outcomes[item] = *outcome;
    snprintf(fake->notes[item], sizeof fake->notes[item], "%s", outcome->note);
    fake->order[fake->order_count++] = item;
    if (fake->raise_at_done)
        kill(getpid(), fake->raise_at_done);
    if (fake->kill_after_done) {
        kill(fake->pids[item], SIGKILL);
        wait_for_child(fake->pids[item], WEXITED);
    }
    if (fake->stop_process_after_done && item == 0) {
        kill(fake->pids[item], SIGSTOP);
        wait_for_child(fake->pids[item], WSTOPPED);
    }
    return !(fake->stop_at_first_failure && outcome->kind != OUTCOME_FINISHED);
}

static void fake_tick(void *context)
{
    struct fake *fake = context;
    fake->ticks++;
    if (fake->raise_at_gate && atomic_load(&fake->board->gate)) {
        kill(getpid(), fake->raise_at_gate);
        fake->raise_at_gate = 0;
    }
}

static struct fake *fakes; /* of the test that runs */

static struct fake *fake_new(unsigned worker_count, const enum deed *deeds, size_t count)
{
    struct fake *fake = calloc(1, sizeof *fake);
    fake->next = fakes;
    fakes = fake;
    fake->board = mmap(NULL, sizeof *fake->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < count; i++)
        fake->deeds[i] = deeds[i];
    fake->item_count = count;
    fake->settings = (struct pool_settings){
        .worker_count = worker_count,
        .context = fake,
        .tick_s = 0.01,
        .worker = {.context = fake, .start = fake_start, .work = fake_work, .finish = fake_finish},
        .next = fake_next,
        .message = fake_message,
        .done = fake_done,
    };
    return fake;
}

#define FAKE(workers, ...)                                                                                        \
    fake_new(workers, (const enum deed[]){__VA_ARGS__}, sizeof(enum deed[]){__VA_ARGS__} / sizeof(enum deed))

/* After each test. */
static int free_fakes(void **state)
{
    (void)state;
    while (fakes) {
        struct fake *next = fakes->next;
        munmap(fakes->board, sizeof *fakes->board);
        free(fakes);
        fakes = next;
    }
    return 0;
}

/* Runs the pool; then what must hold after every run: nothing leaked, everything restored, one `done` for each
 * item that was given out, no message after it. */
static void run(struct fake *fake)
{
    size_t files = count_open_files();
    sigset_t mask_before, mask_after;
    sigprocmask(SIG_SETMASK, NULL, &mask_before);

    if (fake->raise_at_gate) {
        fake->settings.tick = fake_tick;
    }
    fake->end = pool_run(&fake->settings, &fake->signal_number, &fake->err);

    assert_int_equal(count_open_files(), files);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    sigprocmask(SIG_SETMASK, NULL, &mask_after);
    for (int number = 1; number < NSIG; number++)
        assert_int_equal(sigismember(&mask_before, number), sigismember(&mask_after, number));
    for (size_t i = 0; i < fake->next_item; i++)
        assert_int_equal(fake->done_count[i], 1);
    assert_false(fake->message_after_done);
    assert_false(fake->message_wrong);
}

static void check_outcome(const struct fake *fake, size_t item, enum outcome_kind kind, int number)
{
    assert_int_equal(fake->outcomes[item].kind, kind);
    assert_int_equal(fake->outcomes[item].number, number);
}

static void check_all_finished(const struct fake *fake)
{
    assert_int_equal(fake->end, POOL_DONE);
    assert_int_equal(fake->next_item, fake->item_count);
    for (size_t i = 0; i < fake->item_count; i++)
        check_outcome(fake, i, OUTCOME_FINISHED, 0);
}

/* Every item. */

TEST_WITH(workers_do_every_item, NULL, free_fakes)
{
    fact("any number of workers does everything");
    for (unsigned workers = 1; workers <= 8; workers *= 2) {
        struct fake *fake = FAKE(workers, RETURN);
        fake->item_count = 100;
        for (size_t i = 0; i < fake->item_count; i += 7)
            fake->deeds[i] = SLEEP_A_LITTLE;
        run(fake);
        check_all_finished(fake);
        assert_true(atomic_load(&fake->board->starts) <= (int)workers);
        assert_int_equal(atomic_load(&fake->board->starts), atomic_load(&fake->board->finishes));
    }
    fact("no more workers start than items");
    for (int items = 0; items < 2; items++) {
        struct fake *fake = FAKE(8, RETURN);
        fake->item_count = (size_t)items;
        run(fake);
        check_all_finished(fake);
        assert_int_equal(atomic_load(&fake->board->starts), items);
    }
    fact("items may finish out of order");
    struct fake *fake = FAKE(2, WAIT_FOR_GATE, RETURN, RETURN, OPEN_GATE);
    run(fake);
    check_all_finished(fake);
    assert_int_equal(fake->order[0], 1);
    assert_int_equal(fake->order[1], 2);
    /* The first item can end only when the second has begun: so a worker was asked again at the first one's message.
     */
    fact("idle workers are asked again after a message");
    fake = FAKE(2, WAIT_FOR_GATE, OPEN_GATE);
    fake->item_count = 1;
    fake->grow = true;
    fake->grow_to = 2;
    run(fake);
    check_all_finished(fake);
}

/* What a worker sends, where nobody takes its messages. */

static char *next_text(void *context)
{
    struct fake *fake = context;
    return fake->next_item < fake->item_count ? must_printf("item %zu", fake->next_item++) : NULL;
}

static void say_text_twice(void *context, struct worker *worker, uint64_t item)
{
    const struct bytes text = {(const uint8_t *)worker_text(worker), strlen(worker_text(worker))};
    (void)context, (void)item;
    worker_send(worker, text);
    worker_send(worker, text);
}

static bool compare_result(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct fake *fake = context;
    char text[16], twice[32];
    snprintf(text, sizeof text, "item %d", (int)item);
    const int length = snprintf(twice, sizeof twice, "%s%s", text, text);
    fake->message_wrong |= strcmp(outcome->text, text) || outcome->result.size != (size_t)length ||
                           memcmp(outcome->result.data, twice, outcome->result.size) != 0;
    return fake_done(context, worker, item, outcome);
}

/* Two whole messages and a part of one, or with the second item just two. */
static void say_all(void *context, struct worker *worker, uint64_t item)
{
    const size_t size = 2 * POOL_MAX_MESSAGE + (item ? 0 : 10);
    char *text = must_alloc(size, 1);
    (void)context;
    memset(text, 'a', size);
    text[size - 1] = 'z';
    worker_send_all(worker, text, size);
    free(text);
}

static bool compare_all(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct fake *fake = context;
    const struct bytes all = outcome->result;
    fake->message_wrong |= all.size != 2 * POOL_MAX_MESSAGE + (item ? 0 : 10) || all.data[all.size - 1] != 'z' ||
                           memchr(all.data, 'z', all.size) != all.data + all.size - 1;
    return fake_done(context, worker, item, outcome);
}

static bool count_result(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    ((struct fake *)context)->message_bytes[item] = outcome->result.size;
    return fake_done(context, worker, item, outcome);
}

TEST_WITH(what_workers_send_is_collected, NULL, free_fakes)
{
    fact("workers get texts, and what they send comes with the end of their item");
    struct fake *fake = FAKE(4, RETURN);
    fake->item_count = 50;
    fake->settings.next_text = next_text;
    fake->settings.message = NULL;
    fake->settings.most_result = 100;
    fake->settings.done = compare_result;
    fake->settings.worker.work = say_text_twice;
    run(fake);
    check_all_finished(fake);
    fact("the end of a long text comes with the end of its item");
    fake = FAKE(1, RETURN, RETURN);
    fake->settings.message = NULL;
    fake->settings.most_result = 3 * POOL_MAX_MESSAGE;
    fake->settings.done = compare_all;
    fake->settings.worker.work = say_all;
    run(fake);
    check_all_finished(fake);
    fact("and is part of what is too much");
    fake = FAKE(1, RETURN);
    fake->settings.message = NULL;
    fake->settings.most_result = 2 * POOL_MAX_MESSAGE + 9;
    fake->settings.worker.work = say_all;
    run(fake);
    assert_int_equal(fake->outcomes[0].kind, OUTCOME_MISBEHAVED);
    fact("who sends too much is killed, and costs its item alone");
    fake = FAKE(1, RETURN, SAY_A_LOT, RETURN);
    fake->settings.message = NULL;
    fake->settings.most_result = MANY * 100;
    fake->settings.done = count_result;
    run(fake);
    check_outcome(fake, 0, OUTCOME_FINISHED, 0);
    assert_int_equal(fake->outcomes[1].kind, OUTCOME_MISBEHAVED);
    check_outcome(fake, 2, OUTCOME_FINISHED, 0);
    assert_int_equal(fake->message_bytes[2], sizeof(pid_t));
}

/* Messages and notes. */

static void fail_on_dirty_note(void *context, struct worker *worker, uint64_t item)
{
    (void)context;
    (void)item;
    for (size_t i = 0; i < POOL_NOTE_SIZE; i++)
        if (worker_note(worker)[i])
            _exit(1);
    memset(worker_note(worker), 'x', POOL_NOTE_SIZE);
}

TEST_WITH(messages_and_notes_arrive, NULL, free_fakes)
{
    fact("many messages arrive in order");
    struct fake *fake = FAKE(2, SAY_A_LOT, SAY_A_LOT, SAY_A_LOT);
    run(fake);
    check_all_finished(fake);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(fake->message_bytes[i], MANY * 100);
    fact("largest messages arrive before the end of a worker that crashed");
    fake = FAKE(1, SAY_BIG);
    run(fake);
    check_outcome(fake, 0, OUTCOME_SIGNALED, SIGSEGV);
    assert_int_equal(fake->message_bytes[0], (uint64_t)BIG_COUNT * POOL_MAX_MESSAGE);
    /* The supervisor hears of the death while all of them are still in the socket. */
    fact("messages of the dead arrive");
    fake = FAKE(1, SAY_AND_CRASH);
    fake->let_die_at_message = true;
    run(fake);
    check_outcome(fake, 0, OUTCOME_SIGNALED, SIGSEGV);
    assert_int_equal(fake->message_bytes[0], FEW * 100);
    fact("note is read after every kind of end");
    fake = FAKE(1, RETURN, CRASH, EXIT_7);
    run(fake);
    for (int i = 0; i < 3; i++) {
        char note[16];
        snprintf(note, sizeof note, "note of %d", i);
        assert_string_equal(fake->notes[i], note);
    }
    fact("note is empty at each item and ends");
    fake = FAKE(1, RETURN, RETURN);
    fake->settings.worker.work = fail_on_dirty_note;
    run(fake);
    check_all_finished(fake);
    assert_int_equal(strlen(fake->notes[0]), sizeof fake->notes[0] - 1);
}

/* The kernel says of an address that is none of ours so, instead of killing us. */
static bool can_read(const void *address)
{
    int ends[2];
    bool can = pipe(ends) == 0 && write(ends[1], address, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return can;
}

/* Both workers look at once, for one may have the memory before the other's and one that after it. */
static void look_for_the_other_note(void *context, struct worker *worker, uint64_t item)
{
    struct board *board = ((struct fake *)context)->board;
    atomic_store(&board->notes[item], (uintptr_t)worker_note(worker));
    atomic_fetch_add(&board->gate, 1);
    wait_for(&board->gate, 2);
    const char *other = (const char *)atomic_load(&board->notes[1 - item]);
    if (can_read(other) || can_read(other + POOL_NOTE_SIZE - 1) || !can_read(worker_note(worker)))
        atomic_store(&board->held, 1);
    atomic_fetch_add(&board->gate, 1);
    wait_for(&board->gate, 4);
}

static bool take_no_shared_note(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct fake *fake = context;
    if ((uintptr_t)outcome->note == atomic_load(&fake->board->notes[item]))
        atomic_store(&fake->board->held, 1);
    return fake_done(context, worker, item, outcome);
}

/* What the supervisor reads of a note may be a path that it unlinks: nobody is to change it between check and use. */
TEST_WITH(a_note_is_for_its_worker_and_the_supervisor_alone, NULL, free_fakes)
{
    struct fake *fake = FAKE(2, RETURN, RETURN);
    fake->settings.worker.work = look_for_the_other_note;
    fake->settings.done = take_no_shared_note;
    run(fake);
    check_all_finished(fake);
    assert_int_equal(atomic_load(&fake->board->gate), 4);
    assert_int_equal(atomic_load(&fake->board->held), 0);
}

/* Workers that die. */

TEST_WITH(death_costs_one_item, NULL, free_fakes)
{
    static const struct {
        enum deed deed;
        enum outcome_kind kind;
        int number;
    } deaths[] = {
        {CRASH, OUTCOME_SIGNALED, SIGSEGV},
        {BE_KILLED, OUTCOME_SIGNALED, SIGKILL},
        {EXIT_7, OUTCOME_EXITED, 7},
    };
    for (size_t death = 0; death < sizeof deaths / sizeof *deaths; death++) {
        enum deed deed = deaths[death].deed;
        struct fake *fake = FAKE(2, RETURN, deed, RETURN, deed, deed, deed, deed, deed, RETURN, RETURN);
        run(fake);
        assert_int_equal(fake->end, POOL_DONE);
        for (size_t i = 0; i < fake->item_count; i++)
            if (fake->deeds[i] == RETURN)
                check_outcome(fake, i, OUTCOME_FINISHED, 0);
            else
                check_outcome(fake, i, deaths[death].kind, deaths[death].number);
    }
}

static void kill_stopped_process_at_tick(void *context)
{
    struct fake *fake = context;
    if (fake->next_item == 2 && fake->ticks++ == 0)
        kill(fake->pids[0], SIGKILL);
}

TEST_WITH(a_death_costs_one_item_at_most, NULL, free_fakes)
{
    fact("worker without its socket costs one item");
    struct fake *fake = FAKE(1, HANG_UP, RETURN);
    run(fake);
    check_outcome(fake, 0, OUTCOME_SIGNALED, SIGKILL);
    check_outcome(fake, 1, OUTCOME_FINISHED, 0);
    fact("worker killed while idle costs nothing");
    fake = FAKE(1, RETURN, RETURN, RETURN, RETURN, RETURN, RETURN);
    fake->kill_after_done = true;
    run(fake);
    check_all_finished(fake);
    assert_int_equal(atomic_load(&fake->board->starts), 6);
    /* The item is in its socket when it dies. */
    fact("item that was not taken goes to the next worker");
    fake = FAKE(1, RETURN, RETURN);
    fake->stop_process_after_done = true;
    fake->settings.tick = kill_stopped_process_at_tick;
    run(fake);
    check_all_finished(fake);
    assert_int_not_equal(fake->pids[0], fake->pids[1]);
}

/* Workers that were taken over. */

enum attack {
    BEHAVE,
    DENY,     /* die, and have the supervisor believe that they never had the item */
    CLEAR,    /* die, with nothing in the memory they share */
    SCRIBBLE, /* the same with all of it, bit by bit */
    SHOUT,    /* no packet that workers send, then one that is */
    TALK,     /* MANY messages */
    BE_DONE_TWICE,
    FREEZE, /* SIGSTOP, with everything in the memory they share */
};

/* Not through the functions that workers have for it. */
static void send_packet(const char *packet)
{
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
        send(fd, packet, strlen(packet), MSG_NOSIGNAL); /* what is no socket refuses */
}

static void attack(void *context, struct worker *worker, uint64_t item)
{
    struct fake *fake = context;
    struct shared *shared = (void *)(worker_note(worker) - offsetof(struct shared, note));
    switch ((enum attack)fake->deeds[item]) {
    case BEHAVE:
        break;
    case DENY:
        atomic_store(&shared->taken, 0);
        die_of(SIGSEGV);
        break;
    case CLEAR:
        memset(shared, 0, sizeof *shared);
        die_of(SIGSEGV);
        break;
    case SCRIBBLE:
        memset(shared, 0xff, sizeof *shared);
        die_of(SIGSEGV);
        break;
    case SHOUT:
        send_packet("x");
        send_packet("f");
        pause();
        break;
    case TALK:
        for (unsigned i = 0; i < MANY; i++)
            worker_send(worker, (struct bytes){(const uint8_t *)"x", 1});
        pause();
        break;
    case BE_DONE_TWICE:
        send_packet("f");
        break;
    case FREEZE:
        memset(shared, 0xff, sizeof *shared);
        worker_send(worker, (struct bytes){(const uint8_t *)"x", 1});
        raise(SIGSTOP);
    }
}

static bool listen_for_a_while(void *context, unsigned worker, uint64_t item, struct bytes message)
{
    struct fake *fake = context;
    (void)worker;
    (void)message;
    return ++fake->message_count[item] < 10;
}

static struct fake *attacked(unsigned worker_count, const enum attack *attacks, size_t count)
{
    struct fake *fake = FAKE(worker_count, RETURN);
    fake->item_count = count;
    for (size_t i = 0; i < count; i++)
        fake->deeds[i] = (enum deed)attacks[i];
    fake->settings.worker.work = attack;
    fake->settings.message = listen_for_a_while;
    return fake;
}

#define ATTACKED(workers, ...)                                                                                    \
    attacked(workers, (const enum attack[]){__VA_ARGS__}, sizeof(enum attack[]){__VA_ARGS__} / sizeof(enum attack))

static void pass_limits_of_the_first(void *context)
{
    struct fake *fake = context;
    if (fake->message_count[0] > 0 && fake->done_count[0] == 0)
        passed_s += LIMIT_S;
}

/* -- Help ---------------------------------------------------------------------------------------------------- */

/* An item is the number of a deed of its worker in the upper half, of its helpers in the lower one. */
enum shared_deed { SHARE_AND_WAIT = 1, SHARE_TWICE, SHARE_AND_RETURN, SHARE_TOO_MUCH, SHARE_AND_CRASH };
enum help_deed { WRITE, DIE_HELPING, TALK_HELPING, STALL_HELPING };

static void share_item(void *context, struct worker *worker, uint64_t item)
{
    struct fake *fake = context;
    const enum shared_deed deed = (enum shared_deed)(item >> 32);
    for (uint64_t part = 1; part <= (deed == SHARE_TWICE ? 2 : 1); part++) {
        const struct shared_memory *memory =
            worker_share(worker, deed == SHARE_TOO_MUCH ? (uint64_t)1 << 50 : 4096, part);
        if (!memory)
            return;
        atomic_fetch_add(&fake->board->held, 1); /* here: how often memory was shared */
        if (deed == SHARE_AND_WAIT || deed == SHARE_TWICE || deed == SHARE_AND_CRASH)
            wait_for((atomic_int *)memory->data, (int)part);
        if (deed == SHARE_AND_CRASH)
            die_of(SIGSEGV);
        if (deed == SHARE_AND_RETURN) /* the helper stalls */
            wait_for(&fake->board->gate, 1);
        if (deed == SHARE_AND_WAIT && (item & UINT32_MAX) != WRITE) /* another could be sent */
            nap(0.3);
    }
}

static void help_item(void *context, struct worker *worker, uint64_t item, const struct shared_memory *memory)
{
    struct fake *fake = context;
    atomic_fetch_add(&fake->board->gate, 1); /* here: how often somebody helped */
    if ((item & UINT32_MAX) != STALL_HELPING)
        atomic_store((atomic_int *)memory->data, memory->size == 4096 ? (int)memory->part : -1);
    if ((item & UINT32_MAX) == DIE_HELPING)
        die_of(SIGSEGV);
    if ((item & UINT32_MAX) == TALK_HELPING)
        send_packet("mx");
    if ((item & UINT32_MAX) == STALL_HELPING || (item & UINT32_MAX) == TALK_HELPING)
        pause();
    (void)worker;
}

static bool next_shared(void *context, unsigned worker, uint64_t *item)
{
    struct fake *fake = context;
    (void)worker;
    *item = fake->order[0];
    if (fake->next_item)
        return false;
    return ++fake->next_item;
}

static bool end_shared(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct fake *fake = context;
    (void)worker;
    assert_int_equal(item, fake->order[0]);
    fake->outcomes[0] = *outcome;
    fake->done_count[0]++;
    return true;
}

static struct fake *run_shared(unsigned worker_count, enum shared_deed deed, enum help_deed helps)
{
    struct fake *fake = FAKE(worker_count, RETURN);
    fake->order[0] = (uint64_t)deed << 32 | helps;
    fake->settings.worker.work = share_item;
    fake->settings.worker.help = help_item;
    fake->settings.next = next_shared;
    fake->settings.done = end_shared;
    fake->settings.message = NULL; /* nobody says anything */
    run(fake);
    assert_int_equal(fake->end, POOL_DONE);
    assert_int_equal(fake->done_count[0], 1);
    return fake;
}

TEST_WITH(workers_without_an_item_help, NULL, free_fakes)
{
    fact("worker without an item gets the memory and the part of another");
    struct fake *fake = run_shared(2, SHARE_AND_WAIT, WRITE);
    assert_int_equal(fake->outcomes[0].kind, OUTCOME_FINISHED);
    assert_int_equal(atomic_load(&fake->board->gate), 1);
    fact("memory is shared anew for the next part");
    fake = run_shared(2, SHARE_TWICE, WRITE);
    assert_int_equal(fake->outcomes[0].kind, OUTCOME_FINISHED);
    assert_int_equal(atomic_load(&fake->board->gate), 2);
    fact("who is alone shares nothing");
    fake = run_shared(1, SHARE_AND_WAIT, WRITE);
    assert_int_equal(fake->outcomes[0].kind, OUTCOME_FINISHED);
    assert_int_equal(atomic_load(&fake->board->held), 0);
    fact("no memory is shared above the limit");
    fake = run_shared(2, SHARE_TOO_MUCH, WRITE);
    assert_int_equal(fake->outcomes[0].kind, OUTCOME_FINISHED);
    assert_int_equal(atomic_load(&fake->board->held), 0);
}

TEST_WITH(helpers_cost_no_item, NULL, free_fakes)
{
    for (enum help_deed deed = DIE_HELPING; deed <= TALK_HELPING; deed++) {
        fact(deed == DIE_HELPING ? "helper that dies" : "helper that says something");
        struct fake *fake = run_shared(2, SHARE_AND_WAIT, deed);
        assert_int_equal(fake->outcomes[0].kind, OUTCOME_FINISHED);
        assert_int_equal(atomic_load(&fake->board->gate), 1); /* no other is sent after it */
    }
    fact("run does not wait for a helper");
    struct fake *fake = run_shared(2, SHARE_AND_RETURN, STALL_HELPING);
    assert_int_equal(fake->outcomes[0].kind, OUTCOME_FINISHED);
    fact("worker that dies while it is helped costs its item");
    fake = run_shared(2, SHARE_AND_CRASH, WRITE);
    assert_int_equal(fake->outcomes[0].kind, OUTCOME_SIGNALED);
}

TEST_WITH(a_worker_that_was_taken_over_costs_its_item, NULL, free_fakes)
{
    fact("worker that denies having an item costs that item");
    struct fake *fake = ATTACKED(2, DENY, BEHAVE, CLEAR, DENY, BEHAVE, DENY, DENY, CLEAR, BEHAVE);
    run(fake);
    assert_int_equal(fake->end, POOL_DONE);
    for (size_t i = 0; i < fake->item_count; i++)
        if (fake->deeds[i] == (enum deed)BEHAVE)
            check_outcome(fake, i, OUTCOME_FINISHED, 0);
        else
            check_outcome(fake, i, OUTCOME_SIGNALED, SIGSEGV);
    fact("worker that scribbles costs its item");
    fake = ATTACKED(1, SCRIBBLE, BEHAVE, SCRIBBLE, SCRIBBLE, BEHAVE);
    run(fake);
    assert_int_equal(fake->end, POOL_DONE);
    check_outcome(fake, 0, OUTCOME_SIGNALED, SIGSEGV);
    check_outcome(fake, 1, OUTCOME_FINISHED, 0);
    check_outcome(fake, 4, OUTCOME_FINISHED, 0);
    fact("worker that makes no sense or talks too much is ended");
    fake = ATTACKED(2, SHOUT, TALK, BEHAVE, SHOUT, TALK, BEHAVE);
    run(fake);
    assert_int_equal(fake->end, POOL_DONE);
    for (size_t i = 0; i < fake->item_count; i++)
        if (fake->deeds[i] == (enum deed)BEHAVE)
            check_outcome(fake, i, OUTCOME_FINISHED, 0);
        else
            check_outcome(fake, i, OUTCOME_MISBEHAVED, SIGKILL);
    assert_int_equal(fake->message_count[1], 10);
    assert_int_equal(fake->message_count[4], 10);
    /* The second end would be that of the next item, which nobody has worked on: where it comes in time it is told as
     * such, and where not it was of no item. Either way each item ends once, and the run does not. */
    fact("item that ends twice ends once");
    fake = ATTACKED(2, BE_DONE_TWICE, BEHAVE, BE_DONE_TWICE, BEHAVE, BEHAVE, BEHAVE);
    run(fake);
    assert_int_equal(fake->end, POOL_DONE);
    check_outcome(fake, 0, OUTCOME_FINISHED, 0);
    fact("worker that stops itself and holds is ended at the time limit");
    fake = ATTACKED(1, FREEZE, BEHAVE);
    fake->settings.timeout_s = fake->settings.hold_s = LIMIT_S;
    fake->settings.tick = pass_limits_of_the_first;
    run(fake);
    check_outcome(fake, 0, OUTCOME_TIMED_OUT, SIGKILL);
    check_outcome(fake, 1, OUTCOME_FINISHED, 0);
}

/* Time limits. */

static void pass_limit_of_two(void *context)
{
    struct fake *fake = context;
    if (fake->message_count[0] > 0 && fake->message_count[1] > 0 && fake->ticks++ == 0)
        passed_s += LIMIT_S;
}

static void open_gate_at_fifth_tick(void *context)
{
    struct fake *fake = context;
    if (++fake->ticks == 5)
        atomic_store(&fake->board->gate, 1);
}

static void stop_for_longer_than_the_limit(void *context)
{
    struct fake *fake = context;
    if (fake->message_count[0] == 0)
        return;
    if (fake->ticks++ == 0)
        passes_in_poll_s = 2 * LIMIT_S;
    else if (fake->ticks == 5)
        atomic_store(&fake->board->gate, 1);
}

TEST_WITH(time_limits_end_items, NULL, free_fakes)
{
    fact("stalled and stopped items are ended at the time limit");
    struct fake *fake = FAKE(2, STALL, STOP, RETURN, RETURN);
    fake->settings.timeout_s = LIMIT_S;
    fake->settings.tick = pass_limit_of_two;
    run(fake);
    for (size_t i = 0; i < 2; i++) {
        check_outcome(fake, i, OUTCOME_TIMED_OUT, SIGKILL);
        assert_true(fake->outcomes[i].seconds >= LIMIT_S);
    }
    assert_string_equal(fake->notes[1], "note of 1");
    check_outcome(fake, 2, OUTCOME_FINISHED, 0);
    check_outcome(fake, 3, OUTCOME_FINISHED, 0);
    /* The supervisor and its worker are stopped, as by Ctrl-Z. */
    fact("time while stopped does not count");
    fake = FAKE(1, WAIT_FOR_GATE);
    fake->settings.timeout_s = LIMIT_S;
    fake->settings.tick = stop_for_longer_than_the_limit;
    run(fake);
    check_all_finished(fake);
    assert_true(fake->ticks >= 5);
    assert_true(fake->outcomes[0].seconds < LIMIT_S);
}

/* Workers that do not start. */

TEST_WITH(starts_that_fail_end_the_run, NULL, free_fakes)
{
    static const struct {
        unsigned workers;
        enum start_deed deed;
        const char *message;
    } starts[] = {
        {1, START_FAILS, "no such back end"},
        {8, START_FAILS, "no such back end"},
        {2, START_CRASHES, "a worker was killed by signal 11 (Segmentation fault) while it started"},
        {2, START_STALLS, "a worker did not start within 0.2 s"},
    };
    for (size_t start = 0; start < sizeof starts / sizeof *starts; start++) {
        struct fake *fake = FAKE(starts[start].workers, RETURN, RETURN, RETURN);
        fake->start_deed = starts[start].deed;
        fake->settings.start_timeout_s = starts[start].deed == START_STALLS ? 0.2 : 0;
        run(fake);
        assert_int_equal(fake->end, POOL_START_FAILED);
        assert_string_equal(fake->err.text, starts[start].message);
        assert_true(atomic_load(&fake->board->starts) <= (int)starts[start].workers);
        for (size_t i = 0; i < fake->next_item; i++)
            check_outcome(fake, i, OUTCOME_CANCELLED, 0);
    }
}

TEST_WITH(workers_that_do_not_start_are_replaced, NULL, free_fakes)
{
    fact("the others go on without a worker that did not start");
    struct fake *fake = FAKE(2, RETURN, RETURN, RETURN, RETURN);
    fake->start_deed = START_FAILS_LATER;
    run(fake);
    check_all_finished(fake);
    fact("replacement that fails once is tried again");
    fake = FAKE(1, CRASH, RETURN, RETURN);
    fake->start_deed = START_CRASHES_ONCE;
    run(fake);
    assert_int_equal(fake->end, POOL_DONE);
    check_outcome(fake, 2, OUTCOME_FINISHED, 0);
    assert_int_equal(atomic_load(&fake->board->starts), 3);
    fact("replacements that keep failing end the run");
    fake = FAKE(1, CRASH, RETURN, RETURN);
    fake->start_deed = START_FAILS_LATER;
    run(fake);
    assert_int_equal(fake->end, POOL_FAILED);
    assert_string_equal(fake->err.text, "out of luck");
    check_outcome(fake, 1, OUTCOME_CANCELLED, 0);
    assert_int_equal(atomic_load(&fake->board->starts), 4);
}

TEST_WITH(without_sockets_the_run_fails, NULL, free_fakes)
{
    struct fake *fake = FAKE(2, RETURN, RETURN);
    struct rlimit old, none;
    getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    int lowest_free = dup(STDERR_FILENO);
    close(lowest_free);
    none.rlim_cur = (rlim_t)lowest_free + 2; /* the signals and half a socket pair */
    setrlimit(RLIMIT_NOFILE, &none);
    fake->end = pool_run(&fake->settings, &fake->signal_number, &fake->err);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(fake->end, POOL_FAILED);
    assert_string_equal(fake->err.text, "cannot make a socket pair: Too many open files");
    check_outcome(fake, 0, OUTCOME_CANCELLED, 0);
}

/* Runs that end early. */

static volatile sig_atomic_t handled_signal;

static void note_signal(int number)
{
    handled_signal = number;
}

TEST_WITH(signals_interrupt_the_run, NULL, free_fakes)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction handler = {.sa_handler = note_signal}, old, after;
        sigaction(numbers[i], &handler, &old);
        handled_signal = 0;

        struct fake *fake = FAKE(2, STALL, STALL, STALL);
        fake->raise_at_message = numbers[i];
        run(fake);
        assert_int_equal(fake->end, POOL_INTERRUPTED);
        assert_int_equal(fake->signal_number, numbers[i]);
        assert_int_equal(fake->next_item, 2);
        check_outcome(fake, 0, OUTCOME_CANCELLED, 0);
        check_outcome(fake, 1, OUTCOME_CANCELLED, 0);

        assert_int_equal(handled_signal, 0);
        sigaction(numbers[i], &old, &after);
        assert_ptr_equal(after.sa_handler, note_signal);
    }
}

TEST_WITH(the_run_ends_as_it_should, NULL, free_fakes)
{
    fact("run stops when done says so");
    struct fake *fake = FAKE(2, WAIT_FOR_GATE, CRASH, RETURN, RETURN);
    fake->stop_at_first_failure = true;
    run(fake);
    assert_int_equal(fake->end, POOL_STOPPED);
    check_outcome(fake, 0, OUTCOME_CANCELLED, 0);
    check_outcome(fake, 1, OUTCOME_SIGNALED, SIGSEGV);
    assert_int_equal(fake->next_item, 2);
    fact("signal in the last moment is not lost");
    fake = FAKE(1, EXIT_7);
    fake->stop_at_first_failure = true;
    fake->raise_at_done = SIGTERM;
    run(fake);
    assert_int_equal(fake->end, POOL_INTERRUPTED);
    assert_int_equal(fake->signal_number, SIGTERM);
    fact("works when sigchld is ignored");
    signal(SIGCHLD, SIG_IGN);
    fake = FAKE(2, CRASH, EXIT_7, RETURN);
    run(fake);
    check_outcome(fake, 0, OUTCOME_SIGNALED, SIGSEGV);
    check_outcome(fake, 1, OUTCOME_EXITED, 7);
    assert_ptr_equal(signal(SIGCHLD, SIG_DFL), SIG_IGN);
    fact("a worker that leaves is replaced");
    fake = FAKE(1, LEAVE, RETURN, LEAVE, LEAVE, RETURN);
    run(fake);
    check_all_finished(fake);
    assert_int_equal(atomic_load(&fake->board->starts), 4);
    assert_int_equal(atomic_load(&fake->board->finishes), 4);
}

/* What workers inherit. */

TEST_WITH(workers_read_nothing, NULL, free_fakes)
{
    struct fake *fake = FAKE(2, CHECK_STDIN, CHECK_STDIN);
    run(fake);
    check_all_finished(fake);
}

/* As count_open_files counts where there are the standard files alone. */
static size_t count_standard_files(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        close_range(3, UINT_MAX, 0);
        _exit((int)count_open_files());
    }
    waitpid(child, &status, 0);
    return (size_t)WEXITSTATUS(status);
}

/* In a child, because it is about files 0 to 2. */
TEST_WITH(works_without_standard_files, NULL, free_fakes)
{
    pid_t child = fork();
    if (child == 0) {
        close(0);
        close(1);
        close(2);
        struct fake *fake = FAKE(2, CHECK_STDIN, RETURN, CRASH, RETURN);
        fake->end = pool_run(&fake->settings, &fake->signal_number, &fake->err);
        bool fine = fake->end == POOL_DONE && fake->outcomes[0].kind == OUTCOME_FINISHED &&
                    fake->outcomes[2].number == SIGSEGV && fake->outcomes[3].kind == OUTCOME_FINISHED;
        _exit(fine ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST_WITH(workers_inherit_what_they_need, NULL, free_fakes)
{
    /* Its own socket, but neither the other worker's nor the supervisor's signals, nor what whoever started us left open. */
    fact("workers have one file besides the standard ones");
    struct fake *fake = FAKE(2, WAIT_FOR_GATE, COUNT_FILES);
    fake->settings.tick = open_gate_at_fifth_tick;
    int left_open[] = {open("/dev/null", O_RDONLY), fcntl(0, F_DUPFD, 100)};
    run(fake);
    check_all_finished(fake);
    assert_int_equal(atomic_load(&fake->board->file_count), count_standard_files() + 1);
    close(left_open[0]);
    close(left_open[1]);
    fact("workers keep the files that they are told to");
    fake = FAKE(1, COUNT_FILES);
    int low = open("/dev/null", O_RDONLY), middle = fcntl(low, F_DUPFD, 50), high = fcntl(low, F_DUPFD, 100);
    fake->settings.kept_files = (int[]){high, low};
    fake->settings.kept_count = 2;
    atomic_store(&fake->board->gate, 1);
    run(fake);
    check_all_finished(fake);
    assert_int_equal(atomic_load(&fake->board->file_count), count_standard_files() + 1 + 2);
    close(low);
    close(middle);
    close(high);
    /* What the supervisor has buffered is written once, also when something in a worker calls exit(). */
    fact("buffered output is written once");
    int fd = memfd_create("buffered", 0);
    FILE *file = fdopen(fd, "w+");
    fputs("once", file);
    fake = FAKE(2, RETURN, CALL_EXIT, RETURN);
    run(fake);
    check_outcome(fake, 1, OUTCOME_EXITED, 6);
    fflush(file);
    struct stat info;
    fstat(fd, &info);
    assert_int_equal(info.st_size, 4);
    fclose(file);
}

/* The workers hold the writing end of a pipe; its reader sees the end when the last of them is gone. */
TEST_WITH(workers_die_with_the_supervisor, NULL, free_fakes)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct fake *fake = FAKE(2, STALL, STALL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        pool_run(&fake->settings, &fake->signal_number, &fake->err);
        _exit(0);
    }
    close(ends[1]);
    wait_for(&fake->board->starts, 2);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    char c;
    assert_int_equal(read(ends[0], &c, 1), 0);
    close(ends[0]);
}

/* Memory. */

TEST_WITH(memory_limits_end_items, NULL, free_fakes)
{
    fact("item that takes too much memory is ended");
    struct fake *fake = FAKE(2, GROW, GROW_A_LITTLE, RETURN);
    fake->settings.memory_limit = 256 << 20;
    run(fake);
    assert_int_equal(fake->end, POOL_DONE);
    check_outcome(fake, 0, OUTCOME_TOO_LARGE, SIGKILL);
    assert_true(fake->outcomes[0].memory_limit == 256 << 20);
    check_outcome(fake, 1, OUTCOME_FINISHED, 0);
    check_outcome(fake, 2, OUTCOME_FINISHED, 0);
    fact("start that takes too much memory ends the run");
    fake = FAKE(1, RETURN);
    fake->settings.memory_limit = 1; /* which it has before it begins */
    fake->start_deed = START_STALLS;
    run(fake);
    assert_int_equal(fake->end, POOL_START_FAILED);
    assert_non_null(strstr(fake->err.text, "limit"));
}

/* Workers that hold. */

TEST_WITH(workers_that_hold_are_waited_for, NULL, free_fakes)
{
    fact("worker that holds finishes when the run is interrupted");
    struct fake *fake = FAKE(2, HOLD_LONGER, STALL);
    fake->raise_at_gate = SIGTERM;
    fake->settings.hold_s = LIMIT_S;
    run(fake);
    assert_int_equal(fake->end, POOL_INTERRUPTED);
    assert_int_equal(atomic_load(&fake->board->held), 1);
    check_outcome(fake, 1, OUTCOME_CANCELLED, 0);
    fact("item that is held to its end has finished");
    fake = FAKE(2, HOLD_TO_THE_END, STALL);
    fake->raise_at_gate = SIGTERM;
    fake->settings.hold_s = LIMIT_S;
    run(fake);
    assert_int_equal(fake->end, POOL_INTERRUPTED);
    check_outcome(fake, 0, OUTCOME_FINISHED, 0);
    check_outcome(fake, 1, OUTCOME_CANCELLED, 0);
    fact("worker that holds for ever is ended");
    fake = FAKE(1, HOLD_FOR_EVER);
    fake->raise_at_gate = SIGTERM;
    fake->settings.hold_s = 0.1;
    run(fake);
    assert_int_equal(fake->end, POOL_INTERRUPTED);
    check_outcome(fake, 0, OUTCOME_CANCELLED, 0);
    assert_int_equal(atomic_load(&fake->board->held), 0);
}

/* A worker of its own, to which the end of the run was told. It lets go, and then does no more. */
TEST_WITH(nothing_begins_to_hold_when_the_run_is_ending, NULL, free_fakes)
{
    struct fake *fake = FAKE(1, HOLD);
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int pair[2], status;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    struct sent_item item = {0};
    atomic_store(&fake->board->let_go, 1);
    atomic_store(&shared->ending, true);
    pid_t child = fork();
    if (child == 0) {
        dies_in_pause = true;
        worker_run(&fake->settings.worker, pair[1], shared);
    }
    assert_int_equal(send(pair[0], &item, sizeof item, 0), sizeof item);
    close(pair[1]);
    shutdown(pair[0], SHUT_WR); /* so that it leaves if it comes that far */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_false(atomic_load(&shared->holds));
    assert_int_equal(atomic_load(&fake->board->held), 0);
    close(pair[0]);
    munmap(shared, sizeof *shared);
}

/* The time of each item is over when it holds, and that which it gets beyond a few ticks later. */
static void pass_limits_of_those_that_hold(void *context)
{
    struct fake *fake = context;
    size_t count = fake->next_item;
    if (atomic_load(&fake->board->holding) < (int)count)
        return;
    if (fake->ticked_count < count)
        fake->ticks = 0;
    fake->ticked_count = count;
    fake->ticks++;
    if (fake->ticks == 1)
        passed_s += LIMIT_S;
    if (fake->ticks == 5)
        atomic_store(&fake->board->let_go, (int)count);
    if (fake->ticks == 10 && fake->deeds[count - 1] == HOLD_FOR_EVER)
        passed_s += LIMIT_S;
}

TEST_WITH(worker_that_holds_at_its_time_limit_finishes, NULL, free_fakes)
{
    struct fake *fake = FAKE(1, HOLD, HOLD, HOLD_FOR_EVER, RETURN);
    fake->settings.timeout_s = fake->settings.hold_s = LIMIT_S;
    fake->settings.tick = pass_limits_of_those_that_hold;
    run(fake);
    assert_true(fake->outcomes[0].seconds >= LIMIT_S);
    check_outcome(fake, 0, OUTCOME_FINISHED, 0);
    check_outcome(fake, 1, OUTCOME_FINISHED, 0);
    check_outcome(fake, 2, OUTCOME_TIMED_OUT, SIGKILL);
    check_outcome(fake, 3, OUTCOME_FINISHED, 0);
}

/* The CPUs. */

TEST_WITH(usable_cpus_follow_the_affinity_mask, NULL, free_fakes)
{
    cpu_set_t old, one;
    assert_int_equal(sched_getaffinity(0, sizeof old, &old), 0);
    assert_true(cpus_usable() >= 1);
    assert_true(cpus_usable() <= (unsigned)CPU_COUNT(&old));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &old))
            CPU_SET(i, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
    assert_int_equal(cpus_usable(), 1);
    sched_setaffinity(0, sizeof old, &old);
}

/* A hang is a failure. */
static int limit_time(void **state)
{
    (void)state;
    alarm(280);
    return 0;
}

TEST_GROUP(limit_time, NULL)
