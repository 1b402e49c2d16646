/* sanitized.h: the sanitizer of this build, and poisoned memory. */
#ifndef SANITIZED_H
#define SANITIZED_H

#if defined(__has_feature)
#define ADDRESS_SANITIZED __has_feature(address_sanitizer)
#define THREAD_SANITIZED __has_feature(thread_sanitizer)
#else
#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZED 1
#endif
#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZED 1
#endif
#endif
#ifndef ADDRESS_SANITIZED
#define ADDRESS_SANITIZED 0
#endif
#ifndef THREAD_SANITIZED
#define THREAD_SANITIZED 0
#endif
#define SANITIZED (ADDRESS_SANITIZED || THREAD_SANITIZED)

/* After POISON(at, bytes), the address sanitizer reports every access to these bytes. Poisoned
 * memory can be freed, but must be unpoisoned before munmap(). */
#if ADDRESS_SANITIZED
#include <sanitizer/asan_interface.h>
#define POISON(at, bytes) __asan_poison_memory_region((at), (bytes))
#define UNPOISON(at, bytes) __asan_unpoison_memory_region((at), (bytes))
#else
#define POISON(at, bytes) ((void)(at), (void)(bytes))
#define UNPOISON(at, bytes) ((void)(at), (void)(bytes))
#endif

#endif
