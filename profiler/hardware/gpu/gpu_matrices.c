/* gpu_matrices.c: the two matrices of a job, on the host and on the device, and their verification.
 * The guard bands are verified, too. An unmodified input is not copied to the device again. */
#include "diagnose/verify.h"
#include "hardware/gpu/gpu_session.h"
#include "process/parallel.h"

static size_t matrix_elements(const struct gpu_session *session)
{
    return (size_t)(session->launch->rows * session->launch->cols);
}

static size_t guarded_bytes(size_t elements)
{
    return (elements + 2 * GPU_GUARD_WORDS) * sizeof(uint32_t);
}

driver_address gpu_matrix_address(const struct gpu_matrix *matrix)
{
    return matrix->device + GPU_GUARD_BYTES;
}

static void matrix_free(const struct driver *driver, struct gpu_matrix *matrix)
{
    if (matrix->host)
        driver->host_release(matrix->host);
    if (matrix->device)
        driver->release(matrix->device);
    *matrix = (struct gpu_matrix){0};
}

void gpu_matrices_free(struct gpu_session *session)
{
    matrix_free(&session->driver, &session->input);
    matrix_free(&session->driver, &session->output);
}

static bool matrix_reserve(struct gpu_session *session, struct gpu_matrix *matrix,
                           struct failure *failure)
{
    const struct driver *driver = &session->driver;
    size_t bytes = guarded_bytes(matrix_elements(session));
    if (matrix->capacity >= bytes)
        return true;
    matrix_free(driver, matrix);
    session->input_is_pristine = false;
    void *host = NULL;
    if (!GPU_TRY(allocate(&matrix->device, bytes), "allocate a matrix on the GPU") ||
        !GPU_TRY(host_allocate(&host, bytes, 0), "allocate page-locked memory for a matrix"))
        return false;
    matrix->host = host;
    matrix->capacity = bytes;
    return true;
}

static void fill_part(void *context, unsigned index, unsigned count)
{
    const struct gpu_session *session = context;
    size_t elements = matrix_elements(session);
    size_t first = elements * index / count, end = elements * (index + 1) / count;
    matrix_fill(session->job->seed, first, session->input.host + GPU_GUARD_WORDS + first,
                end - first);
}

static bool send_input(struct gpu_session *session, struct failure *failure)
{
    size_t elements = matrix_elements(session);
    uint32_t *host = session->input.host;
    for (size_t i = 0; i < GPU_GUARD_WORDS; i++)
        host[i] = host[GPU_GUARD_WORDS + elements + i] = MATRIX_GUARD;
    parallel_run(session->job->threads, fill_part, session);
    session->input_is_pristine = true;
    return GPU_TRY(copy_in(session->input.device, host, guarded_bytes(elements)),
                   "copy the input to the GPU");
}

bool gpu_matrices_prepare(struct gpu_session *session, struct failure *failure)
{
    size_t elements = matrix_elements(session);
    if (!matrix_reserve(session, &session->input, failure) ||
        !matrix_reserve(session, &session->output, failure))
        return false;
    driver_address output = session->output.device, matrix = gpu_matrix_address(&session->output),
                   end = matrix + elements * sizeof(uint32_t);
    return (session->input_is_pristine || send_input(session, failure)) &&
           GPU_TRY(fill_words(output, MATRIX_GUARD, GPU_GUARD_WORDS), "fill a guard band") &&
           GPU_TRY(fill_words(matrix, MATRIX_POISON, elements), "poison the output") &&
           GPU_TRY(fill_words(end, MATRIX_GUARD, GPU_GUARD_WORDS), "fill a guard band");
}

static bool never_written(const uint32_t *output, size_t elements)
{
    for (size_t i = 0; i < elements; i++)
        if (output[i] != MATRIX_POISON)
            return false;
    return true;
}

bool gpu_matrices_verify(struct gpu_session *session, struct failure *failure)
{
    const struct gpu_launch *launch = session->launch;
    size_t elements = matrix_elements(session), bytes = guarded_bytes(elements);
    uint32_t *input = session->input.host, *output = session->output.host;
    if (!GPU_TRY(copy_out(output, session->output.device, bytes), "copy the output from the GPU") ||
        !GPU_TRY(copy_out(input, session->input.device, bytes), "copy the input from the GPU"))
        return false;
    const struct verify_input wanted = {
        .problem = {.rows = launch->rows,
                    .cols = launch->cols,
                    .reference = session->job->reference,
                    .tile = session->job->tile,
                    .seed = session->job->seed},
        .input = input + GPU_GUARD_WORDS,
        .output = output + GPU_GUARD_WORDS,
        .guard_elements = GPU_GUARD_WORDS,
        .block_x = launch->block[0],
        .block_y = launch->block[1],
        .grid_x = launch->grid[0],
        .grid_y = launch->grid[1],
        .threads = session->job->threads,
        .output_name = "odata",
        .input_name = "idata",
    };
    session->input_is_pristine = verify_output(&wanted, failure);
    if (!session->input_is_pristine)
        session->result->never_written = never_written(wanted.output, elements);
    return session->input_is_pristine;
}
