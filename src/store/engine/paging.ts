import { MAX_COUNTED, type Page } from '../../contract/http/page.ts';
import type { Paging } from '../entities.ts';
import { type Sql, sql } from './engine.ts';

/** The clause of a query that selects one page. */
export function pageOf({ page, pageSize }: Paging): Sql<unknown> {
  return sql`limit ${pageSize} offset ${(page - 1) * pageSize}`;
}

export function pageWith<T>({ page, pageSize }: Paging, total: number, items: T[]): Page<T> {
  return { total, page, page_size: pageSize, items };
}

/** Counts the matching rows, up to `MAX_COUNTED`. `matching`: a table and its conditions. */
export function countUpTo(matching: Sql<unknown>): Sql<{ total: number }> {
  return sql`select count(*) as total from (select 1 from ${matching} limit ${MAX_COUNTED}) counted`;
}

/** Joins the conditions with `and`. Without any, the result is always true. */
export function every(conditions: Sql<unknown>[]): Sql<unknown> {
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql`1 = 1`);
}
