import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * V8 collects the whole heap in any case when memory outside it has grown by this much since the last mark-compact
 * (kExternalAllocationSoftLimit of V8).
 */
const MAX_EXTERNAL_GROWTH_BYTES = 64 * 1024 * 1024;
/** Percentages of the heap. The maximum is the growth that V8 itself chooses for a busy heap. */
const MIN_PERCENT = 100;
const MAX_PERCENT = 300;
const ADJUST_MS = 10_000;

/**
 * Lets memory grow by 64 MiB, or by the size of the heap if that is more, before V8 runs the next mark-compact. Call it
 * once, in a process that relays video. Packets are memory outside the heap, which V8 does not count when it chooses how
 * far memory may grow: at a high rate of packets, it would collect the whole heap once per second
 * (docs/decisions/031-memory-of-the-relay.md).
 */
export function allowHeapGrowth(): void {
  let percent = 0;
  const adjust = () => {
    const wanted = growthPercent(getHeapStatistics().used_heap_size);
    if (wanted === percent) return;
    percent = wanted;
    setFlagsFromString(`--heap-growing-percent=${percent}`);
  };
  adjust();
  setInterval(adjust, ADJUST_MS).unref();
}

/** By how much a heap of this size may grow until the next mark-compact, in percent. */
export function growthPercent(heapBytes: number): number {
  const percent = Math.round((100 * MAX_EXTERNAL_GROWTH_BYTES) / heapBytes);
  return Math.min(MAX_PERCENT, Math.max(MIN_PERCENT, percent));
}
