#include "course/arrays.h"

#include "../../include/lab_references.h"
#include "course/element_map.h"
#include "course/pattern.h"
#include "course/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef void reference_function(void *const *arrays, long long width, long long height,
                                long long matrices, int mistake);

static const struct {
    const char *name;
    reference_function *compute;
    const char *const *mistakes; /* mistake 1 first; NULL ends the list */
} functions[] = {
#define X(name) {#name, reference_##name, mistakes_##name},
    LAB_FUNCTIONS(X)
#undef X
};

int function_find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            return (int)i;
    return -1;
}

bool function_moves(const struct form *form, int function)
{
    enum { SIDE = 4, PLANES = 2, MOST = SIDE * SIDE * PLANES, ONE_BITS = 0x3f800000 };
    uint32_t words[FORM_PARAMETERS_MAX][MOST];
    void *bound[FORM_PARAMETERS_MAX];
    struct form small = *form;
    unsigned count = 0;
    bool moves = function >= 0;
    small.matrices = form_is_batch(form) ? PLANES : 1;
    for (unsigned i = 0; i < form->count; i++) {
        const struct form_parameter *p = &form->parameters[i];
        for (uint32_t e = 0; e < MOST; e++)
            words[i][e] = form_reads(p) ? ONE_BITS + i * MOST + e : 0;
        if (p->role != FORM_SCALAR)
            bound[count++] = words[i];
        moves &= form_elements(&small, p, SIDE, SIDE) <= MOST;
    }
    if (moves)
        functions[function].compute(bound, SIDE, SIDE, (long long)small.matrices, 0);
    for (unsigned i = 0; i < form->count && moves; i++)
        for (uint64_t e = 0; form_writes(&form->parameters[i]) &&
                             e < form_elements(&small, &form->parameters[i], SIDE, SIDE);
             e++)
            moves &= words[i][e] - ONE_BITS < FORM_PARAMETERS_MAX * MOST;
    return moves;
}

static const struct form_parameter *parameter_of(const struct arrays *arrays, unsigned i)
{
    return &arrays->form->parameters[i];
}

uint64_t arrays_elements(const struct arrays *arrays, unsigned i)
{
    return form_elements(arrays->form, parameter_of(arrays, i), arrays->rows, arrays->cols);
}

bool arrays_check(const struct arrays *arrays, struct failure *failure)
{
    for (unsigned i = 0; i < arrays->form->count; i++) {
        const struct form_parameter *p = parameter_of(arrays, i);
        uint64_t elements = arrays_elements(arrays, i);
        if (p->role != FORM_SCALAR && (!elements || elements > MATRIX_MAX_ELEMENTS))
            return failure_harness(
                failure, "%s would have %" PRIu64 " elements; the allowed range is 1 to 2^31",
                p->name, elements);
    }
    return true;
}

uint64_t arrays_seed(const struct arrays *arrays, unsigned parameter)
{
    uint64_t seed = arrays->seed;
    for (unsigned i = 0; i < parameter; i++)
        seed += form_reads(parameter_of(arrays, i));
    return seed;
}

enum { WHOLE_BITS = 19 }; /* the magnitudes of elements are at most 2^18 */

static void make_whole(enum form_type type, uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int32_t whole = (int32_t)words[i] >> (32 - WHOLE_BITS);
        float real = (float)whole;
        memcpy(&words[i], type == FORM_FLOAT ? (const void *)&real : &whole, sizeof words[i]);
    }
}

static void make_values(const struct arrays *arrays, unsigned parameter, uint64_t first,
                        uint32_t *words, size_t count)
{
    enum form_type type = parameter_of(arrays, parameter)->type;
    matrix_fill(arrays_seed(arrays, parameter), first, words, count);
    if (arrays->function >= 0 && type != FORM_UNSIGNED && !arrays->moves)
        make_whole(type, words, count);
    for (size_t i = 0; arrays->values && type == FORM_UNSIGNED && i < count; i++)
        words[i] = arrays->values == VALUES_EQUAL       ? (uint32_t)(arrays->seed * 2654435761)
                   : arrays->values == VALUES_ASCENDING ? (uint32_t)((first + i) / 3000)
                                                        : UINT32_MAX;
}

static void make_initial(const struct arrays *arrays, unsigned parameter, uint64_t first,
                         uint32_t *words, size_t count)
{
    const struct form_parameter *p = parameter_of(arrays, parameter);
    if (form_reads(p))
        make_values(arrays, parameter, first, words, count);
    else
        wmemset((wchar_t *)words, p->zeroed ? 0 : MATRIX_POISON, count);
}

void arrays_fill(const struct arrays *arrays, unsigned parameter, uint64_t first, uint64_t end)
{
    make_initial(arrays, parameter, first, arrays->words[parameter] + first, (size_t)(end - first));
}

enum { CHUNK = 1024 };

bool arrays_untouched(const struct arrays *arrays)
{
    uint32_t initial[CHUNK];
    for (unsigned i = 0; i < arrays->form->count; i++) {
        uint64_t count = form_writes(parameter_of(arrays, i)) ? arrays_elements(arrays, i) : 0;
        for (uint64_t first = 0; first < count; first += CHUNK) {
            size_t length = count - first < CHUNK ? (size_t)(count - first) : CHUNK;
            make_initial(arrays, i, first, initial, length);
            if (memcmp(initial, arrays->words[i] + first, length * sizeof *initial))
                return false;
        }
    }
    return true;
}

const char *arrays_name_element(const struct arrays *arrays, unsigned i, uint64_t index,
                                char text[ARRAYS_NAME])
{
    const struct form_parameter *p = parameter_of(arrays, i);
    uint64_t cols = form_extent(arrays->form, p->cols, arrays->rows, arrays->cols);
    uint64_t rows = form_extent(arrays->form, p->rows, arrays->rows, arrays->cols);
    if (p->rows == FORM_ONE)
        snprintf(text, 96, "%s[%" PRIu64 "]", p->name, index);
    else if (p->planes != FORM_ONE)
        snprintf(text, 96, "%s[%" PRIu64 "][%" PRIu64 "][%" PRIu64 "]", p->name,
                 index / cols / rows, index / cols % rows, index % cols);
    else
        snprintf(text, 96, "%s[%" PRIu64 "][%" PRIu64 "]", p->name, index / cols, index % cols);
    return text;
}

static const char *name_value(enum form_type type, uint32_t bits, char text[48])
{
    if (bits == MATRIX_POISON)
        snprintf(text, 48, "its initial value");
    else if (type == FORM_FLOAT)
        snprintf(text, 48, "%.9g", matrix_float(bits));
    else if (type == FORM_INT)
        snprintf(text, 48, "%" PRId32, (int32_t)bits);
    else
        snprintf(text, 48, "%" PRIu32, bits);
    return text;
}

struct judgement {
    const struct arrays *arrays;
    struct arrays_result result;
    void *bound[FORM_PARAMETERS_MAX]; /* arrays in the order of the function's parameters */
    struct report report;
    struct element_map map;
    const char *map_name, *map_unwritten;
};

static bool is_at_border(uint64_t rows, uint64_t cols, uint64_t index, uint64_t margin)
{
    const uint64_t col = index % cols, row = index / cols % rows;
    return col < margin || row < margin || col + margin >= cols || row + margin >= rows;
}

static bool is_in_margin(const struct arrays *arrays, unsigned i, uint64_t index)
{
    /* If a guard for neighbours is one element too strict, the second row or column is wrong. */
    enum { MARGIN = 2 };
    const struct form_parameter *p = parameter_of(arrays, i);
    const uint64_t cols = form_extent(arrays->form, p->cols, arrays->rows, arrays->cols),
                   rows = form_extent(arrays->form, p->rows, arrays->rows, arrays->cols);
    return p->rows != FORM_ONE && is_at_border(rows, cols, index, MARGIN);
}

static bool is_correct(const struct judgement *judgement, unsigned i, uint64_t index)
{
    if (judgement->arrays->spares_margin && is_in_margin(judgement->arrays, i, index))
        return true;
    const uint32_t a = judgement->arrays->words[i][index], b = judgement->result.expected[i][index];
    /* 0.0 and -0.0 are equal, because the sign of a zero depends on the form of the expression. */
    return a == b ||
           (parameter_of(judgement->arrays, i)->type == FORM_FLOAT && !(a << 1) && !(b << 1));
}

static void compute(struct judgement *judgement, int mistake)
{
    const struct arrays *arrays = judgement->arrays;
    for (unsigned i = 0; i < arrays->form->count; i++)
        if (judgement->result.before[i])
            memcpy(judgement->result.expected[i], judgement->result.before[i],
                   arrays_elements(arrays, i) * sizeof(uint32_t));
        else if (judgement->result.expected[i])
            memset(judgement->result.expected[i], 0, arrays_elements(arrays, i) * sizeof(uint32_t));
    /* The margin of a line is its last element. A guard that is off by one omits this element. */
    const bool omits_last = arrays->spares_margin && parameter_of(arrays, 0)->rows == FORM_ONE;
    functions[arrays->function].compute(judgement->bound, (long long)arrays->cols - omits_last,
                                        (long long)arrays->rows, (long long)arrays->form->matrices,
                                        mistake);
}

static bool is_unwritten(const struct judgement *judgement, unsigned i, uint64_t index)
{
    const uint32_t *before = judgement->result.before[i];
    return judgement->arrays->words[i][index] == (before ? before[index] : MATRIX_POISON);
}

typedef bool element_test(const struct judgement *judgement, unsigned i, uint64_t index);

static uint64_t count_outputs(const struct judgement *judgement, element_test *holds, uint64_t most)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < judgement->arrays->form->count; i++) {
        const bool is_output = judgement->result.expected[i];
        const uint64_t elements = is_output ? arrays_elements(judgement->arrays, i) : 0;
        for (uint64_t e = 0; e < elements && count < most; e++)
            count += !holds(judgement, i, e);
    }
    return count;
}

static bool all_outputs(const struct judgement *judgement, element_test *holds)
{
    return count_outputs(judgement, holds, 1) == 0;
}

static bool is_correct_or_unwritten(const struct judgement *judgement, unsigned i, uint64_t index)
{
    return is_correct(judgement, i, index) || is_unwritten(judgement, i, index);
}

/* Returns true if the element is written, or a kernel with the mistake does not write it. */
static bool is_left_out(const struct judgement *judgement, unsigned i, uint64_t index)
{
    const uint32_t *before = judgement->result.before[i];
    return !is_unwritten(judgement, i, index) ||
           judgement->result.expected[i][index] == (before ? before[index] : 0);
}

/* The text of a mistake may begin with the name of a more precise finding: "[NAME] TEXT". If there
 * is no such finding, the whole text is reported, so that the author notices. */
static void report_mistake(struct report *report, const char *text)
{
    enum finding_id id = FINDING_NONE;
    size_t skip = 0;
    char name[64];
    while (!skip && ++id < FINDING_COUNT) {
        const int length = snprintf(name, sizeof name, "[%s] ", finding_name(id));
        skip = strncmp(text, name, (size_t)length) ? 0 : (size_t)length;
    }
    report_add(report, FINDING_REFERENCE_MISTAKE, "%s", text + skip);
    report_refine(report, skip ? id : FINDING_NONE);
}

static bool find_mistake(struct judgement *judgement)
{
    const char *const *mistakes = functions[judgement->arrays->function].mistakes;
    bool found = false;
    if (arrays_untouched(judgement->arrays))
        return false;
    /* If all written elements are correct, the mistake must also explain the unwritten elements. */
    const bool written_are_correct = all_outputs(judgement, is_correct_or_unwritten);
    for (int m = 1; mistakes[m - 1] && !found; m++) {
        compute(judgement, m);
        found = all_outputs(judgement, is_correct_or_unwritten) &&
                (!written_are_correct || all_outputs(judgement, is_left_out));
        if (found)
            report_mistake(&judgement->report, mistakes[m - 1]);
    }
    compute(judgement, 0);
    return found;
}

/* Describe the elements that kept their old values. Some of them may be correct by chance. */
static bool describe_unchanged(const struct judgement *judgement, unsigned i,
                               const struct element_set *wrong, struct pattern *pattern)
{
    static const struct tile_shape tiles[] = {{64, 64}, {32, 32}, {16, 16}, {8, 8}};
    const uint32_t *before = judgement->result.before[i], *found = judgement->arrays->words[i];
    struct element_set set;
    bool good = before && element_set_make(&set, wrong->rows, wrong->cols);
    if (!good)
        return false;
    for (uint64_t e = 0; e < wrong->rows * wrong->cols; e++)
        if (found[e] == before[e])
            element_set_add(&set, e);
    good = pattern_describe(&set, parameter_of(judgement->arrays, i)->name, tiles,
                            sizeof tiles / sizeof *tiles, pattern);
    element_set_free(&set);
    return good;
}

static bool describe_output(struct judgement *judgement, unsigned i)
{
    const struct arrays *arrays = judgement->arrays;
    const struct form_parameter *p = parameter_of(arrays, i);
    uint64_t elements = arrays_elements(arrays, i), unwritten = 0, first = elements, border = 0;
    uint64_t cols = form_extent(arrays->form, p->cols, arrays->rows, arrays->cols),
             rows = elements / cols;
    struct element_set wrong;
    struct pattern pattern;
    char element[96], correct[48], found[48];
    bool good = element_set_make(&wrong, rows, cols);
    for (uint64_t e = elements; good && e-- > 0;)
        if (!is_correct(judgement, i, e)) {
            element_set_add(&wrong, e);
            border += is_at_border(rows, cols, e, 1);
            unwritten += is_unwritten(judgement, i, e);
            first = e;
        }
    if (good && wrong.count) {
        const enum finding_id finding = unwritten ? FINDING_UNWRITTEN : FINDING_WRONG_ELEMENTS;
        const char *verdict = unwritten != wrong.count      ? "incorrect"
                              : judgement->result.before[i] ? "not changed"
                                                            : "never written";
        if (wrong.count > 1 &&
            (pattern_describe(&wrong, p->name, NULL, 0, &pattern) ||
             (unwritten == wrong.count && describe_unchanged(judgement, i, &wrong, &pattern)))) {
            report_add(&judgement->report, finding, "%s %s %s", pattern.text,
                       pattern.plural ? "were" : "was", verdict);
            if (unwritten == wrong.count)
                report_refine(&judgement->report, pattern.unwritten);
        } else if (wrong.count > 1) {
            report_add(&judgement->report, finding,
                       "%" PRIu64 " of %" PRIu64 " elements of %s are incorrect%s%s", wrong.count,
                       elements, p->name,
                       !unwritten                 ? ""
                       : unwritten == wrong.count ? ", all of them "
                                                  : ", some of them ",
                       !unwritten                    ? ""
                       : judgement->result.before[i] ? "not changed"
                                                     : "never written");
        }
        if (rows > 2 && cols > 2 && border == wrong.count && border > rows + cols)
            report_add(&judgement->report, FINDING_TERM_OUTSIDE,
                       "Only the border of %s is %s. Elements at the border need a result, too: "
                       "which value do the neighbours outside of the matrix have?",
                       p->name, verdict);
        report_add(&judgement->report, FINDING_NONE, "%s should be %s, but is %s",
                   arrays_name_element(arrays, i, first, element),
                   name_value(p->type, judgement->result.expected[i][first], correct),
                   name_value(p->type, arrays->words[i][first], found));
    }
    element_set_free(&wrong);
    return good;
}

static void draw_map(struct judgement *judgement, unsigned i)
{
    const struct arrays *arrays = judgement->arrays;
    const struct form_parameter *p = parameter_of(arrays, i);
    const uint64_t elements = arrays_elements(arrays, i),
                   cols = form_extent(arrays->form, p->cols, arrays->rows, arrays->cols);
    if (judgement->map_name)
        return;
    element_map_begin(&judgement->map, elements / cols, cols);
    for (uint64_t e = 0; e < elements; e++)
        if (!is_correct(judgement, i, e)) {
            element_map_mark(&judgement->map, e, is_unwritten(judgement, i, e));
            judgement->map_name = p->name;
        }
    judgement->map_unwritten = judgement->result.before[i] ? "not changed" : "never written";
}

static void check_input(struct judgement *judgement, unsigned i)
{
    const struct arrays *arrays = judgement->arrays;
    uint64_t elements = arrays_elements(arrays, i), changed = 0, first = 0;
    uint32_t values[CHUNK];
    for (uint64_t start = 0, length; start < elements; start += length) {
        length = elements - start < CHUNK ? elements - start : CHUNK;
        make_values(arrays, i, start, values, length);
        if (!memcmp(values, arrays->words[i] + start, length * sizeof *values))
            continue;
        for (uint64_t e = length; e-- > 0;)
            if (values[e] != arrays->words[i][start + e] && (!changed++ || start + e < first))
                first = start + e;
        memcpy(arrays->words[i] + start, values, length * sizeof *values);
    }
    char element[96];
    if (changed)
        report_add(&judgement->report, FINDING_INPUT_MODIFIED, "%s was modified: %s%s",
                   parameter_of(arrays, i)->name, arrays_name_element(arrays, i, first, element),
                   changed > 1 ? " and other elements" : "");
}

static bool prepare(struct judgement *judgement)
{
    const struct arrays *arrays = judgement->arrays;
    unsigned bound = 0;
    for (unsigned i = 0; i < arrays->form->count; i++) {
        if (parameter_of(arrays, i)->role == FORM_SCALAR)
            continue;
        const struct form_parameter *p = parameter_of(arrays, i);
        uint64_t elements = arrays_elements(arrays, i);
        judgement->bound[bound] = arrays->words[i];
        if (form_writes(p))
            judgement->bound[bound] = judgement->result.expected[i] =
                malloc(elements * sizeof(uint32_t));
        if (form_writes(p) && form_reads(p)) {
            judgement->result.before[i] = malloc(elements * sizeof(uint32_t));
            if (!judgement->result.before[i])
                return false;
            make_values(arrays, i, 0, judgement->result.before[i], elements);
        }
        if (!judgement->bound[bound++])
            return false;
    }
    return true;
}

static bool judge(struct judgement *judgement, arrays_explain *explain, struct failure *failure)
{
    const struct form *form = judgement->arrays->form;
    if (!prepare(judgement))
        return failure_harness(failure, "not enough memory");
    for (unsigned i = 0; i < form->count; i++)
        if (form->parameters[i].role == FORM_INPUT)
            check_input(judgement, i);
    compute(judgement, 0);
    bool correct = all_outputs(judgement, is_correct);
    if (correct && !judgement->report.lines)
        return true;
    const bool described = !correct && !find_mistake(judgement) && explain &&
                           !arrays_untouched(judgement->arrays) &&
                           explain(&judgement->result, &judgement->report);
    for (unsigned i = 0; i < form->count && !correct && !described; i++)
        if (judgement->result.expected[i] && !describe_output(judgement, i))
            return failure_harness(failure, "not enough memory");
    for (unsigned i = 0; i < form->count && !correct; i++)
        if (judgement->result.expected[i])
            draw_map(judgement, i);
    report_fail(&judgement->report, STATUS_WRONG_RESULT, failure);
    if (judgement->map_name)
        element_map_add(&judgement->map, judgement->map_name, judgement->map_unwritten, failure);
    return false;
}

static void judgement_free(struct judgement *judgement)
{
    for (unsigned i = 0; i < judgement->arrays->form->count; i++) {
        free(judgement->result.expected[i]);
        free(judgement->result.before[i]);
    }
}

bool arrays_verify(const struct arrays *arrays, arrays_explain *explain, struct failure *failure)
{
    struct judgement judgement = {.arrays = arrays, .result = {.arrays = arrays}};
    bool correct = arrays_check(arrays, failure) && judge(&judgement, explain, failure);
    judgement_free(&judgement);
    return correct;
}

uint32_t arrays_excess(const struct arrays *arrays)
{
    struct judgement judgement = {.arrays = arrays, .result = {.arrays = arrays}};
    uint32_t excess = 0;
    if (prepare(&judgement) && judgement.result.expected[0]) {
        compute(&judgement, 0);
        excess = arrays->words[0][0] - judgement.result.expected[0][0];
    }
    judgement_free(&judgement);
    return excess;
}

uint64_t arrays_count_wrong(const struct arrays *arrays)
{
    struct judgement judgement = {.arrays = arrays, .result = {.arrays = arrays}};
    uint64_t wrong = 0;
    if (prepare(&judgement)) {
        compute(&judgement, 0);
        wrong = count_outputs(&judgement, is_correct, UINT64_MAX);
    }
    judgement_free(&judgement);
    return wrong;
}
