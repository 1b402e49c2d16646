/* store_merge.h: partial stores that leave an SM as one.
 *
 * The L1 writes through, but not at once: a store whose sector is still waiting, because a store
 * before it wrote another part, joins it, and the L2 sees one sector instead of two. What an H200
 * does (testdata/difficult_h200.csv), and the model:
 *
 *  - What waits is little, about 16 lines: a request of 32 lines (naive, blocks 32 wide) never
 *    joins another nor is joined; of 16 lines (blocks 16 wide), it joins the one just before;
 *    another request in between is enough to part two stores of one warp.
 *  - Parts of words never join: stores of 1 and 2 bytes reach the L2 as they are.
 *  - How often two requests meet depends on who stores in between. With 64, 32, 16 and 8 warps on
 *    an SM, blocks of 16 x 16 lose 11, 31, 53 and 58 % of their store sectors, of 75 % that could
 *    be. So the SM stays with a block for another request in 11 of as many cases as it has warps
 *    (never more than 3 of 4), and else goes to any of the others, as a fixed series of numbers
 *    says.
 *
 * On hardware the outcome varies by a few percent from run to run; the model does not.
 */
#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include "emulator/cost/coalesce.h"

/* Lines of a store request beyond which it never merges with others. */
enum { STORE_MERGE_LINES = 16 };

/* Mark those store runs of one SM's traces that join an earlier one as ACCESS_MERGED. Traces of
 * other SMs, and traces that are not `may_merge`, are left alone. False: no memory. */
bool store_merge(struct trace *traces, size_t count, unsigned sm);

#endif
