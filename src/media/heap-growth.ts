import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap and the memory outside it grow to twice the size that the last mark-compact left, before V8 runs the
 * next one. Call it once, in a process that relays video. Packets are memory outside the heap, which V8 does not count
 * when it chooses how far memory may grow: at a high rate of packets, it would collect the whole heap once per second
 * (docs/decisions/031-memory-of-the-relay.md).
 */
export function allowHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
