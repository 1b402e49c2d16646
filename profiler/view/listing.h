/* listing.h: a source in the terminal with the counters of its lines (line_counters.h) beside them,
 * and advice on the worst.
 */
#ifndef LISTING_H
#define LISTING_H

#include "view/line_counters.h"

#include <stdio.h>

/* One sentence on the access whose mending would gain the most time, or that there is none, at most
 * `size` bytes: what happens there, and what to ask oneself, not what to do. */
void listing_advise(const struct line_counters *lines, size_t count, const struct device *device,
                    const struct time_goes *time_goes, char *text, size_t size);

/* Sectors (or segments, of each half-warp) that the bytes of an average global request need. Lanes
 * that share their bytes need fewer, and then have them. */
double listing_ideal_sectors(const struct access_sums *sums, const struct device *device);

/* Print the source with its counters. Sectors are segments (transactions) on CC 1.x. False when the
 * file cannot be read. */
bool listing_print(FILE *out, const char *path, const struct line_counters *lines, size_t count,
                   const struct device *device);

#endif
