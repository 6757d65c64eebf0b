/* Runs a command several times and prints one line: the median and the minimum of its seconds, the minimum of its
 * processor seconds, and the largest resident size in MB of any of its processes.
 *
 *     measure RUNS COMMAND [ARGUMENT]...
 *
 * The command's output is shown only if it fails. Processor time is that of all its processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

struct run {
    double wall_s, cpu_s, peak_mb;
};

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

static _Noreturn void run_command(char **command, FILE *log)
{
    if (dup2(fileno(log), STDOUT_FILENO) >= 0 && dup2(fileno(log), STDERR_FILENO) >= 0)
        execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

static void show_log(FILE *log)
{
    char text[4096];
    size_t size;
    rewind(log);
    while ((size = fread(text, 1, sizeof text, log)) > 0)
        fwrite(text, 1, size, stderr);
}

static int measure(char **command, struct run *run)
{
    FILE *log = tmpfile();
    if (!log) {
        perror("measure");
        return -1;
    }
    double start_s = clock_now_s();
    pid_t pid = fork();
    if (pid == 0)
        run_command(command, log);
    int status = -1;
    struct rusage usage; /* of the child and of all that it waited for */
    if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
        perror("measure");
    run->wall_s = clock_now_s() - start_s;
    run->cpu_s = seconds(&usage.ru_utime) + seconds(&usage.ru_stime);
    run->peak_mb = (double)usage.ru_maxrss / 1024;
    if (status != 0)
        show_log(log);
    fclose(log);
    return status == 0 ? 0 : -1;
}

static int compare_wall(const void *a, const void *b)
{
    double left = ((const struct run *)a)->wall_s, right = ((const struct run *)b)->wall_s;
    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    size_t count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (count == 0) {
        fprintf(stderr, "usage: %s RUNS COMMAND [ARGUMENT]...\n", argv[0]);
        return 2;
    }
    struct run *runs = must_alloc(count, sizeof *runs);
    for (size_t i = 0; i < count; i++)
        if (measure(argv + 2, &runs[i]) < 0) {
            free(runs);
            return 1;
        }
    qsort(runs, count, sizeof *runs, compare_wall);
    struct run best = runs[0];
    for (size_t i = 1; i < count; i++) {
        best.cpu_s = runs[i].cpu_s < best.cpu_s ? runs[i].cpu_s : best.cpu_s;
        best.peak_mb = runs[i].peak_mb > best.peak_mb ? runs[i].peak_mb : best.peak_mb;
    }
    printf("%.4f %.4f %.4f %.1f\n", runs[count / 2].wall_s, best.wall_s, best.cpu_s, best.peak_mb);
    free(runs);
    return 0;
}
