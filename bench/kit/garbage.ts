import { constants, PerformanceObserver } from 'node:perf_hooks';

/** Garbage collections of one process. */
export interface Collections {
  /** Scavenges, which collect the young generation only. */
  minor: number;
  /** Mark-compacts, which collect the whole heap. */
  major: number;
  /** The longest pause of a mark-compact, in milliseconds; 0 if there was none. */
  longestMajor: number;
}

let collections: Collections = { minor: 0, major: 0, longestMajor: 0 };
const observer = new PerformanceObserver((list) => count(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });

/** Returns the collections of this process since the previous call. */
export function takeCollections(): Collections {
  count(observer.takeRecords());
  const taken = collections;
  collections = { minor: 0, major: 0, longestMajor: 0 };
  return taken;
}

/** What Node adds to a PerformanceEntry of the type `gc`, which the types of Node lack. */
type Collection = PerformanceEntry & { detail: { kind: number } };

function count(entries: readonly PerformanceEntry[]): void {
  for (const { detail, duration } of entries as Collection[]) {
    const { kind } = detail;
    if (kind === constants.NODE_PERFORMANCE_GC_MINOR) collections.minor += 1;
    if (kind !== constants.NODE_PERFORMANCE_GC_MAJOR) continue;
    collections.major += 1;
    collections.longestMajor = Math.max(collections.longestMajor, duration);
  }
}
