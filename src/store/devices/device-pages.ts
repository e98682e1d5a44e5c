import type { Page } from '../../contract/http/page.ts';
import type { Engine } from '../engine/engine.ts';
import { DeviceChanges } from './device-changes.ts';
import type { DeviceRow, ListDevicesQuery } from './device-store.ts';
import { listDevices } from './devices.ts';
import { ListPositions, lastBefore, type PositionsOfList } from './list-positions.ts';

/** Also bounds how long a page could outlive a change that the event log does not contain. */
const LIFETIME_MS = 1_000;
/** Maximum number of cached pages, of at most 100 devices each. Then the one that was read first is dropped. */
const MAX_PAGES = 200;

interface CachedPage {
  page: Promise<Page<DeviceRow>>;
  generation: number;
  until: number;
}

/**
 * Device lists with a cache. A cached page is returned only after a read of the event log, started after the request,
 * has found no change since the page was read. A client therefore always sees its own changes and those of others,
 * through any process. Otherwise a page is read immediately, or after the same check if the end of a preceding page
 * is known, from there on.
 */
export class DevicePages {
  private readonly engine: Engine;
  private readonly changes: DeviceChanges;
  private readonly pages = new Map<string, CachedPage>();
  private readonly positions = new ListPositions({ lifetimeMs: LIFETIME_MS });

  constructor(engine: Engine) {
    this.engine = engine;
    this.changes = new DeviceChanges(engine);
  }

  async list(query: ListDevicesQuery): Promise<Page<DeviceRow>> {
    // All fields of the query, also those that are added later.
    const key = JSON.stringify(query);
    if (!this.find(key) && !this.positions.find(query, this.changes.lastKnown))
      return this.read(key, query, null);
    const generation = await this.changes.current();
    // null, or a later read has found a change already
    if (generation !== this.changes.lastKnown) return this.read(key, query, null);
    return this.find(key)?.page ?? this.read(key, query, this.positions.find(query, generation));
  }

  /** Returns the page unless it has expired or a change has been detected since it was read. */
  private find(key: string): CachedPage | null {
    const cached = this.pages.get(key);
    const isCurrent = cached?.generation === this.changes.lastKnown && cached.until > performance.now();
    return isCurrent ? cached : null;
  }

  /**
   * A change that is committed between the last read of the log and this read is found by the next read of the log.
   * @param from positions of the current generation
   */
  private read(key: string, query: ListDevicesQuery, from: PositionsOfList | null): Promise<Page<DeviceRow>> {
    const generation = this.changes.lastKnown;
    const page = listDevices(this.engine, query, from && lastBefore(query, from));
    const cached = { page, generation, until: performance.now() + LIFETIME_MS };
    this.pages.delete(key);
    if (this.pages.size >= MAX_PAGES) this.pages.delete(this.pages.keys().next().value!);
    this.pages.set(key, cached);
    const forget = () => {
      if (this.pages.get(key) === cached) this.pages.delete(key);
    };
    page.then(({ items }) => {
      if (generation !== this.changes.lastKnown) return;
      const ids = items.map(({ id }) => id);
      this.positions.record(query, ids, generation, from);
    }, forget);
    return page;
  }
}
