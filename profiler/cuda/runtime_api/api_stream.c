/* api_stream.c: streams, events, and host functions in streams. */
#include "cuda/core/graph.h"
#include "cuda/runtime_api/api.h"
#include "cuda/runtime_api/calls.h"

static int create_stream(void **stream, unsigned flags, int priority)
{
    return flags > 1 ? ERROR_InvalidValue : GIVE(stream, timeline_create_stream(flags, priority));
}

API_FUNCTION(cudaStreamCreate, (void **stream), create_stream(stream, 0, 0))
API_FUNCTION(cudaStreamCreateWithFlags, (void **stream, unsigned flags),
             create_stream(stream, flags, 0))
API_FUNCTION(cudaStreamCreateWithPriority, (void **stream, unsigned flags, int priority),
             create_stream(stream, flags, priority))
API_FUNCTION(cudaStreamDestroy, (void *stream),
             timeline_destroy_stream(stream) ? 0 : ERROR_InvalidResourceHandle)

static int wait_for_work(const void *handle)
{
    struct stream *stream = timeline_stream(handle);
    struct graph *graph = stream ? graph_of(stream->capture.graph) : NULL;
    if (graph)
        graph->is_broken = true;
    if (stream && stream->capture.graph)
        return ERROR_StreamCaptureUnsupported;
    if (stream)
        timeline_await(stream);
    return stream ? 0 : ERROR_InvalidResourceHandle;
}

API_FUNCTION_PTSZ(cudaStreamSynchronize, (void *stream), wait_for_work(stream))
ALIAS(cudaStreamSynchronize, cudaStreamQuery);
ALIAS(cudaStreamSynchronize, cudaStreamQuery_ptsz);

#define GET_FUNCTION(name, type, value)                                                            \
    API_FUNCTION_PTSZ(                                                                             \
        name, (void *stream, type *got),                                                           \
        WITH(found, timeline_stream(stream), ERROR_InvalidResourceHandle, GIVE(got, value)))
GET_FUNCTION(cudaStreamGetFlags, unsigned, found->flags)
GET_FUNCTION(cudaStreamGetPriority, int, found->priority)
GET_FUNCTION(cudaStreamGetId, unsigned long long, (uintptr_t)stream)
GET_FUNCTION(cudaStreamGetDevice, int, 0)

static int attribute(const void *handle, unsigned number, const union attribute_value *given,
                     union attribute_value *requested)
{
    struct stream *stream = timeline_stream(handle);
    if (!stream || number >= ATTRIBUTE_COUNT || (!given && !requested))
        return stream ? ERROR_InvalidValue : ERROR_InvalidResourceHandle;
    if (given)
        stream->attributes[number] = *given;
    MAY_GIVE(requested, stream->attributes[number]);
    if (requested && number == ATTRIBUTE_PRIORITY)
        requested->priority = stream->priority;
    return 0;
}

API_FUNCTION_PTSZ(cudaStreamSetAttribute,
                  (void *stream, unsigned number, const union attribute_value *value),
                  attribute(stream, number, value, NULL))
API_FUNCTION_PTSZ(cudaStreamGetAttribute,
                  (void *stream, unsigned number, union attribute_value *value),
                  attribute(stream, number, NULL, value))

/* `function` runs without the lock, because it may wait for a thread that calls the runtime. */
EXPORT int cudaLaunchHostFunc(void *handle, void (*function)(void *), void *data)
{
    struct operation work = {.kind = OPERATION_HOST, .call = {function, data}};
    int error = runtime_enter();
    struct stream *stream = timeline_stream(handle);
    bool is_captured = stream && stream->capture.graph;
    if (!error && (!stream || !function))
        error = stream ? ERROR_InvalidValue : ERROR_InvalidResourceHandle;
    if (!error && is_captured)
        error = graph_capture(stream, &work);
    else if (!error)
        timeline_await(stream);
    runtime_leave(error);
    if (!error && !is_captured)
        function(data);
    return error;
}
ALIAS(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz);
ALIAS(cudaLaunchHostFunc, cuLaunchHostFunc);
ALIAS(cudaLaunchHostFunc, cuLaunchHostFunc_ptsz);

EXPORT int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data,
                                 unsigned flags)
{
    int error = runtime_enter();
    error = runtime_leave(error ? error : wait_for_work(stream));
    if (!error && function)
        function(stream, 0, data);
    return error;
}
ALIAS(cudaStreamAddCallback, cudaStreamAddCallback_ptsz);
ALIAS(cudaStreamAddCallback, cuStreamAddCallback);
ALIAS(cudaStreamAddCallback, cuStreamAddCallback_ptsz);

static int create_event(void **event, unsigned flags)
{
    return flags > 7 ? ERROR_InvalidValue : GIVE(event, timeline_create_event(flags));
}

API_FUNCTION(cudaEventCreate, (void **event), create_event(event, 0))
API_FUNCTION(cudaEventCreateWithFlags, (void **event, unsigned flags), create_event(event, flags))
API_FUNCTION(cudaEventDestroy, (void *event),
             timeline_destroy_event(event) ? 0 : ERROR_InvalidResourceHandle)

static int record(const void *event_handle, const void *stream_handle)
{
    struct event *event = timeline_event(event_handle);
    struct stream *stream = timeline_stream(stream_handle);
    if (!event || !stream)
        return ERROR_InvalidResourceHandle;
    timeline_record(event, stream);
    timeline_share_capture(&event->capture, &stream->capture);
    return 0;
}

API_FUNCTION_PTSZ(cudaEventRecord, (void *event, void *stream), record(event, stream))
API_FUNCTION_PTSZ(cudaEventRecordWithFlags, (void *event, void *stream, unsigned flags),
                  record(event, stream))

API_FUNCTION(cudaEventSynchronize, (void *event),
             WITH(found, timeline_event(event), ERROR_InvalidResourceHandle,
                  (timeline_await_event(found), 0)))
ALIAS(cudaEventSynchronize, cudaEventQuery);

enum { EVENT_DISABLE_TIMING = 2 };

API_BODY(API_FUNCTION, cudaEventElapsedTime, (float *ms, void *begin_handle, void *end_handle),
         (ms, begin_handle, end_handle))
{
    const struct event *begin = timeline_event(begin_handle), *end = timeline_event(end_handle);
    if (!begin || !end || !ms)
        return ms ? ERROR_InvalidResourceHandle : ERROR_InvalidValue;
    if (!begin->is_recorded || !end->is_recorded ||
        (begin->flags | end->flags) & EVENT_DISABLE_TIMING)
        return ERROR_InvalidResourceHandle;
    runtime_note("times between CUDA events are modelled: they are estimates for the device %s",
                 runtime.device->title);
    timeline_await_event(end);
    *ms = (float)((end->at_us - begin->at_us) / 1000);
    return 0;
}

ALIAS(cudaEventElapsedTime, cudaEventElapsedTime_v2);

/* A stream that waits for an event of a captured stream is captured into the same graph. */
API_BODY(API_FUNCTION_PTSZ, cudaStreamWaitEvent,
         (void *stream_handle, void *event_handle, unsigned flags),
         (stream_handle, event_handle, flags))
{
    struct stream *stream = timeline_stream(stream_handle);
    const struct event *event = timeline_event(event_handle);
    if (!stream || !event)
        return ERROR_InvalidResourceHandle;
    if (graph_of(event->capture.graph))
        timeline_share_capture(&stream->capture, &event->capture);
    else
        timeline_wait(stream, event);
    return 0;
}
