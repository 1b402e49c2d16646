#include "runtime/graph.h"

#include "runtime/overlap.h"
#include "runtime/runtime.h"
#include "runtime/watch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Work, with its time ---- */

/* Microseconds of a copy: over the link, or through the device's memory, read and written. */
static double copy_us(uint64_t bytes, unsigned direction)
{
    const struct device *device = runtime.device;
    if (direction == 3)
        return device->launch_us +
               2 * (double)bytes / (device->dram_gbps * device->dram_efficiency) / 1e3;
    return device->link_latency_us + (double)bytes / device->link_gbps / 1e3;
}

int work_copy(const struct heap_copy *copy, struct stream *stream)
{
    unsigned direction;
    int error = heap_copy(copy, &direction);
    uint64_t bytes = (uint64_t)copy->width * copy->height * copy->depth;
    if (!error && direction)
        timeline_work(stream,
                      direction == 1   ? ENGINE_COPY_IN
                      : direction == 2 ? ENGINE_COPY_OUT
                                       : ENGINE_KERNEL,
                      copy_us(bytes, direction));
    if (!error)
        watch_copy(copy, direction, stream);
    if (!error && direction)
        overlap_copy(copy, stream);
    return error;
}

int work_set(const struct graph_set *set, struct stream *stream)
{
    const struct device *device = runtime.device;
    int error = heap_set(set->to, set->pitch, set->value, set->element, set->width, set->height);
    double bytes = (double)set->width * (double)set->height;
    if (!error)
        timeline_work(stream, ENGINE_KERNEL,
                      device->launch_us +
                          bytes / (device->dram_gbps * device->dram_efficiency) / 1e3);
    if (!error)
        overlap_set(set->to, set->pitch, set->width, set->height, stream);
    return error;
}

/* ---- Graphs ---- */

struct default_value {
    struct default_value *next;
    const struct allocation *word;
    unsigned value;
};

struct graph {
    struct graph *next;
    struct default_value *defaults; /* of conditions; those of copies are their origin's */
    struct graph_node **nodes;
    size_t count;
    struct held *held;
    bool is_broken;
    bool has_cycle; /* of a copy: of what it is the copy of */
};

struct user_object {
    struct user_object *next;
    void *data;
    void (*end)(void *);
    unsigned count;
};

struct held { /* references of a graph */
    struct held *next;
    struct user_object *object;
    unsigned count;
};

static struct graph *graphs;

struct graph *graph_create(void)
{
    struct graph *graph = runtime_allocate(1, sizeof *graph);
    *graph = (struct graph){.next = graphs};
    return graphs = graph;
}

struct graph *graph_of(const void *handle)
{
    struct graph *at = graphs;
    while (at && at != handle)
        at = at->next;
    return at;
}

struct graph_node *graph_add(struct graph *graph, const struct graph_node *node)
{
    runtime_make_room(&graph->nodes, graph->count, sizeof *graph->nodes);
    struct graph_node *kept = runtime_allocate(1, sizeof *kept);
    *kept = *node;
    kept->graph = graph;
    return graph->nodes[graph->count++] = kept;
}

bool graph_has(const struct graph *graph, const struct graph_node *node)
{
    for (size_t i = graph->count; i-- > 0;)
        if (graph->nodes[i] == node)
            return true;
    return false;
}

bool graph_has_cycle(const struct graph *copy)
{
    return copy->has_cycle;
}

int graph_capture(struct stream *stream, const struct graph_node *node)
{
    struct capture *capture = &stream->capture;
    struct graph_node *kept = graph_add(capture->graph, node);
    for (size_t i = 0; i < capture->count; i++)
        if (graph_has(capture->graph, capture->behind[i])) /* not removed in between */
            graph_order(capture->behind[i], kept);
    capture->count = 0;
    timeline_capture(stream, capture->graph, kept);
    return 0;
}

void graph_order(struct graph_node *before, struct graph_node *behind)
{
    runtime_make_room(&behind->before, behind->before_count, sizeof *behind->before);
    behind->before[behind->before_count++] = before;
}

void graph_disorder(struct graph_node *before, struct graph_node *behind)
{
    size_t kept = 0;
    for (size_t i = 0; i < behind->before_count; i++)
        if (behind->before[i] != before)
            behind->before[kept++] = behind->before[i];
    behind->before_count = kept;
}

static void node_free(struct graph_node *node)
{
    if (node->kind == NODE_KERNEL)
        launch_free(&node->launch);
    if (node->kind == NODE_CHILD && node->child)
        graph_free(node->child);
    for (unsigned i = 0; i < node->condition.count; i++)
        graph_free(node->condition.bodies[i]);
    free(node->condition.bodies);
    free(node->before);
    free(node->arguments);
    free(node);
}

/* ---- Objects that graphs hold ---- */

static struct user_object *objects;

static struct user_object **find_object(const struct user_object *object)
{
    struct user_object **at = &objects;
    while (*at && *at != object)
        at = &(*at)->next;
    return at;
}

struct user_object *graph_make_object(void *data, void (*end)(void *), unsigned count)
{
    struct user_object *object = runtime_allocate(1, sizeof *object);
    *object = (struct user_object){objects, data, end, count};
    return objects = object;
}

bool graph_object_retain(struct user_object *object, unsigned count)
{
    bool good = *find_object(object) && count <= UINT_MAX - object->count;
    if (good)
        object->count += count;
    return good;
}

bool graph_object_release(struct user_object *object, unsigned count)
{
    struct user_object **at = find_object(object);
    if (!*at || count > object->count)
        return false;
    object->count -= count;
    if (!object->count) {
        *at = object->next;
        object->end(object->data);
        free(object);
    }
    return true;
}

void graph_hold(struct graph *graph, struct user_object *object, unsigned count)
{
    struct held *held = runtime_allocate(1, sizeof *held);
    *held = (struct held){graph->held, object, count};
    graph->held = held;
}

bool graph_let_go(struct graph *graph, struct user_object *object, unsigned count)
{
    for (struct held *held = graph->held; held; held = held->next) {
        if (held->object != object || held->count < count)
            continue;
        held->count -= count;
        return graph_object_release(object, count);
    }
    return false;
}

static void let_all_go(struct graph *graph)
{
    for (struct held *held = graph->held, *next; held; held = next) {
        next = held->next;
        if (held->count)
            graph_object_release(held->object, held->count);
        free(held);
    }
}

void graph_break(struct graph *graph)
{
    graph->is_broken = true;
}

bool graph_is_broken(const struct graph *graph)
{
    return graph->is_broken;
}

void graph_free(struct graph *graph)
{
    let_all_go(graph);
    struct graph **at = &graphs;
    while (*at && *at != graph)
        at = &(*at)->next;
    if (*at)
        *at = graph->next;
    for (size_t i = 0; i < graph->count; i++)
        node_free(graph->nodes[i]);
    free(graph->nodes);
    free(graph);
}

void graph_remove(struct graph_node *node)
{
    struct graph *graph = node->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i] == node)
            continue;
        graph_disorder(node, graph->nodes[i]);
        graph->nodes[kept++] = graph->nodes[i];
    }
    graph->count = kept;
    node_free(node);
}

int graph_allocate(uint64_t bytes, struct graph_node *node)
{
    const struct allocation *made;
    int error = heap_allocate(HEAP_DEVICE, bytes, &made);
    if (error)
        return error;
    heap_keep(made);
    *node = (struct graph_node){.kind = NODE_ALLOCATE, .memory = (void *)(uintptr_t)made->base};
    return 0;
}

/* A node is known by the nodes of the first graph, however often it was copied. */
static const struct graph_node *origin_of(const struct graph_node *node)
{
    return node->origin ? node->origin : node;
}

static void copy_node(struct graph *copy, struct graph_node *node)
{
    struct graph_node twin = *node;
    if (node->is_placed)
        return;
    node->is_placed = true;
    for (size_t i = 0; i < node->before_count; i++)
        copy_node(copy, node->before[i]);
    twin.origin = origin_of(node);
    twin.before = NULL;
    twin.arguments = NULL;
    twin.before_count = 0;
    if (node->kind == NODE_KERNEL)
        twin.launch.params = launch_copy_params(&node->launch);
    if (node->kind == NODE_CHILD && node->child)
        twin.child = graph_clone(node->child);
    if (node->condition.count)
        twin.condition.bodies =
            runtime_allocate(node->condition.count, sizeof *twin.condition.bodies);
    for (unsigned i = 0; i < node->condition.count; i++)
        twin.condition.bodies[i] = graph_clone(node->condition.bodies[i]);
    struct graph_node *kept = graph_add(copy, &twin);
    for (size_t i = 0; i < node->before_count; i++) {
        struct graph_node *before = graph_counterpart(copy, node->before[i]);
        if (before && before != kept)
            graph_order(before, kept);
        else /* it comes behind this one, too */
            copy->has_cycle = true;
    }
    copy->has_cycle |= twin.child && twin.child->has_cycle;
}

struct graph *graph_clone(const struct graph *graph)
{
    struct graph *copy = graph_create();
    copy->defaults = graph->defaults;
    copy->has_cycle = graph->has_cycle;
    for (const struct held *held = graph->held; held; held = held->next)
        if (held->count && graph_object_retain(held->object, held->count))
            graph_hold(copy, held->object, held->count);
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->is_placed = false;
    for (size_t i = 0; i < graph->count; i++)
        copy_node(copy, graph->nodes[i]);
    return copy;
}

struct graph_node *graph_counterpart(const struct graph *copy, const struct graph_node *node)
{
    for (size_t i = 0; node && i < copy->count; i++)
        if (origin_of(copy->nodes[i]) == origin_of(node))
            return copy->nodes[i];
    return NULL;
}

size_t graph_size(const struct graph *graph)
{
    return graph->count;
}

struct graph_node *graph_at(const struct graph *graph, size_t number)
{
    return graph->nodes[number];
}

int graph_list(const struct graph *graph, bool only_roots, void **nodes, size_t *count)
{
    size_t found = 0;
    if (!count)
        return ERROR_InvalidValue;
    for (size_t i = 0; graph && i < graph->count; i++) {
        if (only_roots && graph->nodes[i]->before_count)
            continue;
        if (nodes && found < *count)
            nodes[found] = graph->nodes[i];
        found++;
    }
    *count = found;
    return graph ? 0 : ERROR_InvalidValue;
}

bool graph_update(struct graph *copy, const struct graph *graph)
{
    struct graph *fresh = graph_clone(graph);
    bool good = fresh->count == copy->count;
    for (size_t i = 0; good && i < copy->count; i++)
        good = fresh->nodes[i]->kind == copy->nodes[i]->kind;
    if (good) {
        struct graph_node **nodes = copy->nodes;
        copy->nodes = fresh->nodes;
        fresh->nodes = nodes;
        for (size_t i = 0; i < copy->count; i++)
            copy->nodes[i]->graph = copy;
    }
    graph_free(fresh);
    return good;
}

static const char *describe(const struct graph_node *node)
{
    static const char *const names[] = {
        [NODE_COPY] = "copy",          [NODE_SET] = "set",
        [NODE_HOST] = "host function", [NODE_CHILD] = "graph",
        [NODE_EMPTY] = "empty",        [NODE_WAIT] = "wait for an event",
        [NODE_RECORD] = "event",       [NODE_ALLOCATE] = "alloc",
        [NODE_FREE] = "free",          [NODE_CONDITION] = "condition",
    };
    return node->kind == NODE_KERNEL ? node->launch.kernel->symbol : names[node->kind];
}

bool graph_draw(const struct graph *graph, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fputs("digraph graph_0 {\n", file);
    for (size_t i = 0; i < graph->count; i++) {
        const struct graph_node *node = graph->nodes[i];
        fprintf(file, "  \"%p\" [label=\"%s\"];\n", (const void *)node, describe(node));
        for (size_t j = 0; j < node->before_count; j++)
            fprintf(file, "  \"%p\" -> \"%p\";\n", (void *)node->before[j], (const void *)node);
    }
    fputs("}\n", file);
    return !fclose(file);
}

/* ---- Conditions ---- */

int graph_make_condition(struct graph *graph, unsigned value, bool is_set, uint64_t *handle)
{
    const struct allocation *word;
    int error = heap_allocate(HEAP_MANAGED, sizeof value, &word);
    if (error)
        return error;
    memcpy(word->host, &value, sizeof value);
    *handle = word->base;
    if (is_set) {
        struct default_value *made = runtime_allocate(1, sizeof *made);
        *made = (struct default_value){graph->defaults, word, value};
        graph->defaults = made;
    }
    return 0;
}

static int run_condition(const struct graph_condition *condition, struct stream *stream)
{
    const struct allocation *word = heap_find(condition->handle);
    unsigned value;
    int error = word ? 0 : ERROR_InvalidValue;
    do {
        if (error || runtime.pending)
            return error;
        memcpy(&value, word->host, sizeof value);
        unsigned body = condition->kind == CONDITION_SWITCH ? value : !value;
        if (body < condition->count)
            error = graph_run(condition->bodies[body], stream);
    } while (condition->kind == CONDITION_WHILE && value);
    return error;
}

/* ---- Carry out ---- */

static int run_node(const struct graph_node *node, struct stream *stream)
{
    switch (node->kind) {
    case NODE_KERNEL:
        return launch_run(&node->launch, stream);
    case NODE_COPY:
        return work_copy(&node->copy, stream);
    case NODE_SET:
        return work_set(&node->set, stream);
    case NODE_HOST:
        timeline_await(stream);
        runtime_leave(0); /* it may wait for a thread that calls us */
        node->call.function(node->call.data);
        runtime_enter_quietly();
        return 0;
    case NODE_RECORD:
        timeline_record(node->event, stream);
        return 0;
    case NODE_WAIT:
        timeline_wait(stream, node->event);
        return 0;
    case NODE_CHILD:
        return node->child ? graph_run(node->child, stream) : 0;
    case NODE_CONDITION:
        return run_condition(&node->condition, stream);
    default:
        return 0;
    }
}

/* Whether each node comes behind the one before, and there is nothing to compare. */
static bool is_in_order(const struct graph *graph)
{
    bool good = true;
    for (size_t i = 1; i < graph->count && good; i++) {
        const struct graph_node *node = graph->nodes[i];
        good = node->before_count == 1 && node->before[0] == graph->nodes[i - 1];
    }
    return good;
}

/* Carry out nodes that may run at the same time, one by one, each with the clock of what it comes
 * behind; one that continues another alone has its number. */
static int run_parts(const struct graph *graph, struct stream *stream)
{
    struct clock *known = runtime_allocate(graph->count + 1, sizeof *known);
    bool *continued = runtime_allocate(graph->count, sizeof *continued);
    unsigned *parts = runtime_allocate(graph->count, sizeof *parts), part_count = 0;
    const size_t number = stream->number;
    struct clock *begin = &known[graph->count];
    int error = 0;
    clock_join(begin, timeline_clock(stream));
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->place = i;
    for (size_t i = 0; i < graph->count && !error && !runtime.pending; i++) {
        const struct graph_node *node = graph->nodes[i];
        unsigned part = UINT_MAX;
        clock_join(&known[i], begin);
        for (size_t k = 0; k < node->before_count; k++) {
            size_t before = node->before[k]->place;
            clock_join(&known[i], &known[before]);
            if (part == UINT_MAX && !continued[before]) {
                continued[before] = true;
                part = parts[before];
            }
        }
        parts[i] = part == UINT_MAX ? part_count++ : part;
        timeline_begin_part(stream, parts[i], &known[i]);
        if (!node->is_disabled)
            error = run_node(node, stream);
        clock_join(&known[i], timeline_clock(stream));
    }
    timeline_end_part(stream, number);
    for (size_t i = 0; i <= graph->count; i++) {
        clock_join(&stream->known, &known[i]);
        free(known[i].ended);
    }
    free(known);
    free(continued);
    free(parts);
    return error;
}

int graph_run(const struct graph *graph, struct stream *stream)
{
    enum { COMPARED_MAX = 512 };
    int error = 0;
    for (const struct default_value *at = graph->defaults; at; at = at->next)
        memcpy(at->word->host, &at->value, sizeof at->value);
    if (graph->count <= COMPARED_MAX && !is_in_order(graph))
        return run_parts(graph, stream);
    for (size_t i = 0; i < graph->count && !error && !runtime.pending; i++)
        if (!graph->nodes[i]->is_disabled)
            error = run_node(graph->nodes[i], stream);
    return error;
}
