import { MOST_COUNTED, type Page } from '../contract/page.ts';
import type { Paging } from './admin-store.ts';
import { type Sql, sql } from './engine.ts';

/** The end of a select that reads one page. */
export function pageOf({ page, pageSize }: Paging): Sql<unknown> {
  return sql`limit ${pageSize} offset ${(page - 1) * pageSize}`;
}

export function pageWith<T>({ page, pageSize }: Paging, total: number, items: T[]): Page<T> {
  return { total, page, page_size: pageSize, items };
}

/** How many rows there are, as far as they are counted. `matching`: a table and its conditions. */
export function countUpTo(matching: Sql<unknown>): Sql<{ total: number }> {
  return sql`select count(*) as total from (select 1 from ${matching} limit ${MOST_COUNTED}) counted`;
}

/** All of the conditions; one that is always true where there are none. */
export function every(conditions: Sql<unknown>[]): Sql<unknown> {
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql`1 = 1`);
}
