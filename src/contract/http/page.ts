import { type TSchema, Type } from 'typebox';

/** Largest `page_size` of a list. */
export const MAX_PAGE_SIZE = 100;

/** Upper limit of the `total` of a list that grows forever. Exact counting would cost more than reading the page. */
export const MAX_COUNTED = 10_000;

export const PageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page number' }),
  page_size: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: 20, description: 'Items per page' }),
};

export interface Page<T> {
  total: number;
  page: number;
  page_size: number;
  items: T[];
}

export const pageSchema = <T extends TSchema & { title?: string }>(item: T) =>
  Type.Object(
    {
      total: Type.Integer({ minimum: 0, description: 'Number of matching items on all pages' }),
      page: Type.Integer({ minimum: 1, description: 'Page number' }),
      page_size: Type.Integer({ minimum: 1, description: 'Items per page' }),
      items: Type.Array(item),
    },
    { title: `${item.title}Page` },
  );
