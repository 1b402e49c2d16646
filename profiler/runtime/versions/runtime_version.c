/* runtime_version.c: compiled once for each library, with its version. */
#ifndef RUNTIME_VERSION
#define RUNTIME_VERSION 13000
#endif

extern const int runtime_version;
__attribute__((visibility("hidden"))) const int runtime_version = RUNTIME_VERSION;
