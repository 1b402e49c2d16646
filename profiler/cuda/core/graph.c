#include "cuda/core/graph.h"

#include "cuda/core/runtime.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct default_value {
    struct default_value *next;
    const struct allocation *word;
    unsigned value;
};

struct user_object {
    void *handle, *data;
    void (*end)(void *);
    unsigned count;
};

struct user_reference {
    struct user_reference *next;
    const void *object;
    unsigned count;
};

struct graph_node *graph_node_in(const struct graph *graph, const void *handle)
{
    struct graph_node *node = graph_node_of(handle);
    return node && node->graph == graph ? node : NULL;
}

struct graph *graph_create(bool is_instance)
{
    struct graph *graph = runtime_allocate(1, sizeof *graph);
    graph->is_instance = is_instance;
    graph->handle = handle_make(is_instance ? HANDLE_INSTANCE : HANDLE_GRAPH, graph);
    return graph;
}

struct graph_node *graph_add(struct graph *graph, const struct operation *work)
{
    runtime_make_room(&graph->nodes, graph->count, sizeof *graph->nodes);
    struct graph_node *node = runtime_allocate(1, sizeof *node);
    *node = (struct graph_node){.work = *work, .graph = graph};
    node->origin = node->handle = handle_make(HANDLE_NODE, node);
    return graph->nodes[graph->count++] = node;
}

int graph_capture(struct stream *stream, const struct operation *operation)
{
    struct capture *capture = &stream->capture;
    struct graph *graph = graph_of(capture->graph);
    if (!graph) /* The program destroyed the graph. */
        return ERROR_StreamCaptureInvalidated;
    struct graph_node *added = graph_add(graph, operation);
    for (size_t i = 0; i < capture->count; i++) {
        struct graph_node *before = graph_node_in(graph, capture->dependencies[i]);
        if (before) /* NULL if the program removed the node. */
            graph_order(before, added);
    }
    capture->count = 0;
    timeline_capture(stream, graph->handle, added->handle);
    return 0;
}

int graph_submit(struct operation *operation, const void *handle)
{
    struct stream *stream = timeline_stream(handle);
    if (operation->kind == OPERATION_NONE)
        return operation->error;
    if (stream && stream->capture.graph)
        return graph_capture(stream, operation);
    int error = stream ? operation_run(operation, stream) : ERROR_InvalidResourceHandle;
    if (stream && stream->is_default && operation->kind == OPERATION_COPY)
        timeline_await(stream);
    else if (stream && stream->is_default && operation->kind == OPERATION_SET)
        timeline_settle(stream);
    operation_free(operation);
    return error;
}

void graph_order(struct graph_node *before, struct graph_node *after)
{
    runtime_make_room(&after->before, after->before_count, sizeof *after->before);
    after->before[after->before_count++] = before;
}

void graph_disorder(struct graph_node *before, struct graph_node *after)
{
    size_t left = 0;
    for (size_t i = 0; i < after->before_count; i++)
        if (after->before[i] != before)
            after->before[left++] = after->before[i];
    after->before_count = left;
}

static void free_graph_of(const void *handle)
{
    struct graph *graph = graph_of(handle);
    if (graph)
        graph_free(graph);
}

void operation_free(struct operation *operation)
{
    if (operation->kind == OPERATION_KERNEL)
        free(operation->launch.params);
    if (operation->kind == OPERATION_CHILD)
        free_graph_of(operation->handle);
    if (operation->kind != OPERATION_CONDITION)
        return;
    for (unsigned i = 0; i < operation->condition.count; i++)
        free_graph_of(operation->condition.bodies[i]);
    free(operation->condition.bodies);
}

static void node_free(struct graph_node *node)
{
    handle_forget(HANDLE_NODE, node->handle);
    operation_free(&node->work);
    free(node->before);
    free(node->arguments);
    free(node);
}

int graph_replace(struct graph_node *node, struct operation by)
{
    if (!node || node->work.kind != by.kind) {
        operation_free(&by);
        return by.kind == OPERATION_NONE ? by.error : ERROR_InvalidValue;
    }
    operation_free(&node->work);
    free(node->arguments);
    node->arguments = NULL;
    node->work = by;
    return 0;
}

void graph_remove(struct graph_node *node)
{
    struct graph *graph = node->graph;
    size_t left = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i] == node)
            continue;
        graph_disorder(node, graph->nodes[i]);
        graph->nodes[left++] = graph->nodes[i];
    }
    graph->count = left;
    node_free(node);
}

void graph_free(struct graph *graph)
{
    handle_forget(graph->is_instance ? HANDLE_INSTANCE : HANDLE_GRAPH, graph->handle);
    for (struct user_reference *reference = graph->references, *next; reference; reference = next) {
        next = reference->next;
        if (reference->count)
            graph_object_release(reference->object, reference->count);
        free(reference);
    }
    for (size_t i = 0; i < graph->count; i++)
        node_free(graph->nodes[i]);
    free(graph->nodes);
    free(graph);
}

void *graph_make_object(void *data, void (*end)(void *), unsigned count)
{
    struct user_object *object = runtime_allocate(1, sizeof *object);
    *object = (struct user_object){.data = data, .end = end, .count = count};
    return object->handle = handle_make(HANDLE_USER_OBJECT, object);
}

bool graph_object_retain(const void *handle, unsigned count)
{
    struct user_object *object = handle_find(HANDLE_USER_OBJECT, handle);
    bool good = object && count <= UINT_MAX - object->count;
    if (good)
        object->count += count;
    return good;
}

bool graph_object_release(const void *handle, unsigned count)
{
    struct user_object *object = handle_find(HANDLE_USER_OBJECT, handle);
    if (!object || count > object->count)
        return false;
    object->count -= count;
    if (!object->count) {
        handle_forget(HANDLE_USER_OBJECT, handle);
        object->end(object->data);
        free(object);
    }
    return true;
}

void graph_add_reference(struct graph *graph, const void *object, unsigned count)
{
    struct user_reference *reference = runtime_allocate(1, sizeof *reference);
    *reference = (struct user_reference){graph->references, object, count};
    graph->references = reference;
}

bool graph_remove_reference(struct graph *graph, const void *object, unsigned count)
{
    for (struct user_reference *reference = graph->references; reference;
         reference = reference->next)
        if (reference->object == object && reference->count >= count) {
            reference->count -= count;
            return graph_object_release(object, count);
        }
    return false;
}

struct operation graph_allocate(uint64_t bytes)
{
    struct allocation *memory;
    int error = heap_allocate(HEAP_DEVICE, bytes, &memory);
    if (error)
        return operation_failed(error);
    memory->is_retained = true;
    return (struct operation){.kind = OPERATION_ALLOCATE,
                              .memory = (void *)(uintptr_t)memory->base};
}

static void *copy_owned(const void *handle)
{
    const struct graph *graph = graph_of(handle);
    return graph ? graph_clone(graph, false)->handle : NULL;
}

static struct operation copy_operation(const struct operation *work)
{
    struct operation copy = *work;
    if (work->kind == OPERATION_KERNEL)
        copy.launch.params = launch_copy_params(&work->launch);
    if (work->kind == OPERATION_CHILD)
        copy.handle = copy_owned(work->handle);
    if (work->kind != OPERATION_CONDITION)
        return copy;
    const struct condition *condition = &work->condition;
    copy.condition.bodies = runtime_allocate(condition->count, sizeof *condition->bodies);
    for (unsigned i = 0; i < condition->count; i++)
        copy.condition.bodies[i] = copy_owned(condition->bodies[i]);
    return copy;
}

static void copy_node(struct graph *copy, struct graph_node *node)
{
    if (node->is_placed)
        return;
    node->is_placed = true;
    for (size_t i = 0; i < node->before_count; i++)
        copy_node(copy, node->before[i]);
    struct operation work = copy_operation(&node->work);
    struct graph_node *duplicate = graph_add(copy, &work);
    duplicate->is_disabled = node->is_disabled;
    duplicate->origin = node->origin;
    for (size_t i = 0; i < node->before_count; i++) {
        struct graph_node *before = graph_counterpart(copy, node->before[i]);
        if (before && before != duplicate)
            graph_order(before, duplicate);
        else /* The graph has a cycle through `before` and this node. */
            copy->has_cycle = true;
    }
    const struct graph *child = work.kind == OPERATION_CHILD ? graph_of(work.handle) : NULL;
    copy->has_cycle |= child && child->has_cycle;
}

struct graph *graph_clone(const struct graph *graph, bool is_instance)
{
    struct graph *copy = graph_create(is_instance);
    copy->defaults = graph->defaults;
    copy->has_cycle = graph->has_cycle;
    for (const struct user_reference *reference = graph->references; reference;
         reference = reference->next)
        if (reference->count && graph_object_retain(reference->object, reference->count))
            graph_add_reference(copy, reference->object, reference->count);
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->is_placed = false;
    for (size_t i = 0; i < graph->count; i++)
        copy_node(copy, graph->nodes[i]);
    return copy;
}

struct graph_node *graph_counterpart(const struct graph *copy, const struct graph_node *node)
{
    for (size_t i = 0; node && i < copy->count; i++)
        if (copy->nodes[i]->origin == node->origin)
            return copy->nodes[i];
    return NULL;
}

bool graph_update(struct graph *copy, const struct graph *graph)
{
    struct graph *fresh = graph_clone(graph, false);
    bool good = fresh->count == copy->count;
    for (size_t i = 0; good && i < copy->count; i++)
        good = fresh->nodes[i]->work.kind == copy->nodes[i]->work.kind;
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

bool graph_draw(const struct graph *graph, const char *path)
{
    static const char *const names[] = {
        "",      "copy",  "set",   "host function", "graph", "empty", "wait for an event",
        "event", "other", "other", "alloc",         "free",  "other", "condition",
    };
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fputs("digraph graph_0 {\n", file);
    for (size_t i = 0; i < graph->count; i++) {
        const struct graph_node *node = graph->nodes[i];
        fprintf(file, "  \"%p\" [label=\"%s\"];\n", node->handle,
                node->work.kind == OPERATION_KERNEL ? node->work.launch.kernel->symbol
                                                    : names[node->work.kind]);
        for (size_t j = 0; j < node->before_count; j++)
            fprintf(file, "  \"%p\" -> \"%p\";\n", node->before[j]->handle, node->handle);
    }
    fputs("}\n", file);
    return !fclose(file);
}

int graph_make_condition(struct graph *graph, unsigned value, bool is_set, uint64_t *handle)
{
    struct allocation *word;
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

static int run_owned(const void *handle, struct stream *stream)
{
    const struct graph *graph = graph_of(handle);
    return graph ? graph_run(graph, stream) : ERROR_InvalidValue;
}

static int run_condition(const struct condition *condition, struct stream *stream)
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
            error = run_owned(condition->bodies[body], stream);
    } while (condition->kind == CONDITION_WHILE && value);
    return error;
}

static int run_event(const struct operation *work, struct stream *stream)
{
    struct event *event = timeline_event(work->handle);
    if (event && work->kind == OPERATION_RECORD)
        timeline_record(event, stream);
    else if (event)
        timeline_wait(stream, event);
    return event ? 0 : ERROR_InvalidResourceHandle;
}

static int run_node(const struct graph_node *node, struct stream *stream)
{
    const struct operation *work = &node->work;
    switch (work->kind) {
    case OPERATION_HOST:
        timeline_await(stream);
        runtime_leave(0); /* The host function may wait for a thread that calls the runtime. */
        work->call.function(work->call.data);
        runtime_enter_quietly();
        return 0;
    case OPERATION_RECORD:
    case OPERATION_WAIT:
        return run_event(work, stream);
    case OPERATION_CHILD:
        return run_owned(work->handle, stream);
    case OPERATION_CONDITION:
        return run_condition(&work->condition, stream);
    default:
        return operation_run(work, stream);
    }
}

static bool is_in_order(const struct graph *graph)
{
    bool good = true;
    for (size_t i = 1; i < graph->count && good; i++) {
        const struct graph_node *node = graph->nodes[i];
        good = node->before_count == 1 && node->before[0] == graph->nodes[i - 1];
    }
    return good;
}

/* Run the nodes one by one. Each node starts with the joined clocks of its dependencies, so
 * independent nodes count as concurrent. A node's first successor gets the node's stream number. */
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
    stream->number = number;
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
