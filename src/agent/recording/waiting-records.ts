/** Assumed size of the objects that keep one record. */
const OVERHEAD_BYTES = 1_024;

/**
 * What was recorded since the last event or flush, or before the folder was open. It is processed together, because the
 * work for a frame takes more than twice as long if the caches of the processor no longer contain the code and the data of
 * it.
 */
export class WaitingRecords {
  /** Approximate memory that the records use. */
  bytes = 0;
  private records: (() => void)[] = [];

  /** @param record called by `process` with the current time, on the clock of `performance.now()` */
  add(record: (at: number) => void, bytes: number): void {
    const at = performance.now();
    this.records.push(() => record(at));
    this.bytes += bytes + OVERHEAD_BYTES;
  }

  /** Processes the records in their order until `isOver` returns true, and drops the others. */
  process(isOver: () => boolean): void {
    const { records } = this;
    this.clear();
    for (const record of records) if (!isOver()) record();
  }

  clear(): void {
    this.records = [];
    this.bytes = 0;
  }
}
