import type { Page } from '../../contract/http/page.ts';
import type { Engine } from '../engine/engine.ts';
import { DeviceChanges } from './device-changes.ts';
import type { DeviceRow, ListDevicesQuery } from './device-store.ts';
import { listDevices } from './devices.ts';

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
 * through any process. A page that is not cached is read immediately, without reading the event log.
 */
export class DevicePages {
  private readonly engine: Engine;
  private readonly changes: DeviceChanges;
  private readonly pages = new Map<string, CachedPage>();

  constructor(engine: Engine) {
    this.engine = engine;
    this.changes = new DeviceChanges(engine);
  }

  async list(query: ListDevicesQuery): Promise<Page<DeviceRow>> {
    // All fields of the query, also those that are added later.
    const key = JSON.stringify(query);
    if (this.find(key)) {
      const generation = await this.changes.current();
      const cached = this.find(key);
      if (cached && cached.generation === generation) return cached.page;
    }
    return this.read(key, query);
  }

  /** Returns the page unless it has expired or a change has been detected since it was read. */
  private find(key: string): CachedPage | null {
    const cached = this.pages.get(key);
    const isCurrent = cached?.generation === this.changes.lastKnown && cached.until > performance.now();
    return isCurrent ? cached : null;
  }

  /** A change that is committed between the last read of the log and this read is found by the next read of the log. */
  private read(key: string, query: ListDevicesQuery): Promise<Page<DeviceRow>> {
    const generation = this.changes.lastKnown;
    const page = listDevices(this.engine, query);
    const cached = { page, generation, until: performance.now() + LIFETIME_MS };
    this.pages.delete(key);
    if (this.pages.size >= MAX_PAGES) this.pages.delete(this.pages.keys().next().value!);
    this.pages.set(key, cached);
    page.catch(() => {
      if (this.pages.get(key) === cached) this.pages.delete(key);
    });
    return page;
  }
}
