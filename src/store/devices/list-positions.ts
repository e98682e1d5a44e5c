import type { ListDevicesQuery } from './device-store.ts';

/** A position in a sorted list: `rank` of its items precede it, and `id` is the last of those. */
export interface ListPosition {
  rank: number;
  id: string;
}

/** Positions of one list, as of one generation of the devices. */
export interface PositionsOfList {
  positions: ListPosition[];
  generation: number;
  until: number;
}

/** Maximum number of lists, and of positions of each. The oldest are dropped. */
const MAX_LISTS = 100;
const MAX_POSITIONS = 200;
/** Skipping fewer devices costs less than finding out whether a position is still valid. */
const MIN_SKIPPED = 500;

/**
 * The ends of the pages that were read. The next page of the same list is read from there, because the database skips
 * all preceding devices one by one otherwise. A position is valid in the generation of the devices in which its page was
 * read, and at most for `lifetimeMs`, also if it was found from another position.
 */
export class ListPositions {
  private readonly lifetimeMs: number;
  private readonly lists = new Map<string, PositionsOfList>();

  constructor({ lifetimeMs }: { lifetimeMs: number }) {
    this.lifetimeMs = lifetimeMs;
  }

  /** The positions that can help to read the page; null: none, or it is not worth it. */
  find(query: ListDevicesQuery, generation: number): PositionsOfList | null {
    if ((query.page - 1) * query.pageSize < MIN_SKIPPED) return null;
    return this.current(keyOf(query), generation);
  }

  /** @param from the positions with which the page was found, or null */
  record(query: ListDevicesQuery, ids: string[], generation: number, from: PositionsOfList | null): void {
    const id = ids.at(-1);
    if (id === undefined) return;
    const list = from ?? this.open(keyOf(query), generation);
    if (list.positions.length >= MAX_POSITIONS) list.positions.shift();
    list.positions.push({ rank: (query.page - 1) * query.pageSize + ids.length, id });
  }

  private current(key: string, generation: number): PositionsOfList | null {
    const list = this.lists.get(key);
    return list?.generation === generation && list.until > performance.now() ? list : null;
  }

  private open(key: string, generation: number): PositionsOfList {
    const known = this.current(key, generation);
    if (known) return known;
    const list = { positions: [], generation, until: performance.now() + this.lifetimeMs };
    this.lists.delete(key);
    if (this.lists.size >= MAX_LISTS) this.lists.delete(this.lists.keys().next().value!);
    this.lists.set(key, list);
    return list;
  }
}

/** The last position at or before the page. */
export function lastBefore({ page, pageSize }: ListDevicesQuery, list: PositionsOfList): ListPosition | null {
  let last: ListPosition | null = null;
  for (const position of list.positions)
    if (position.rank <= (page - 1) * pageSize && position.rank > (last?.rank ?? 0)) last = position;
  return last;
}

/** All fields of the query except those of the page, also those that are added later. */
const keyOf = (query: ListDevicesQuery) => JSON.stringify({ ...query, page: null, pageSize: null });
