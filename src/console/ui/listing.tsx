import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '../../contract/http/page.ts';
import { SearchIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { Loaded } from './loaded.tsx';
import { Message } from './message.tsx';
import { Paging } from './paging.tsx';
import type { useAddress } from './use-address.ts';

const text = texts.listing;

interface ListingProps<Row> extends TableProps<Row>, Omit<ListPageProps<Row>, 'list' | 'children'> {
  query: UseQueryResult<Page<Row>>;
  /** Formats the error. The default is the general error text of the console. */
  sentence?: (error: unknown) => string;
}

interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
}

/** One page of a list as a table, or a message why there is none. */
export function Listing<Row>({ query, sentence, address, empty, ...table }: ListingProps<Row>) {
  return (
    <Loaded query={query} {...(sentence && { sentence })}>
      {(list) => (
        <ListPage list={list} address={address} empty={empty}>
          {(rows) => <DataTable {...table} rows={rows} />}
        </ListPage>
      )}
    </Loaded>
  );
}

interface ListPageProps<Row> {
  list: Page<Row>;
  address: Pick<ReturnType<typeof useAddress>, 'isFiltered' | 'showPage' | 'clear'>;
  /** The message shown when the list is empty without any filter. */
  empty: { title: string; text: string; icon?: ReactNode; action?: ReactNode };
  children(rows: readonly Row[]): ReactNode;
}

/** One page of a list, which `children` renders, or a message why there is none. */
export function ListPage<Row>({ list, address, empty, children }: ListPageProps<Row>) {
  const { items, total, page, page_size } = list;
  if (items.length === 0) return <NoRows total={total} address={address} empty={empty} />;
  return (
    <>
      {children(items)}
      <Paging page={page} pageSize={page_size} total={total} onPage={address.showPage} />
    </>
  );
}

const SEARCH = <SearchIcon className="size-6" />;

function NoRows({
  total,
  address,
  empty,
}: Pick<ListPageProps<unknown>, 'address' | 'empty'> & { total: number }) {
  if (total > 0) {
    return (
      <Message
        title={text.pastEndTitle}
        icon={SEARCH}
        action={<Button onClick={() => address.showPage(1)}>{text.firstPage}</Button>}
      >
        {text.pastEnd}
      </Message>
    );
  }
  if (address.isFiltered) {
    return (
      <Message
        title={text.noMatchTitle}
        icon={SEARCH}
        action={<Button onClick={address.clear}>{text.clear}</Button>}
      >
        {text.noMatch}
      </Message>
    );
  }
  return (
    <Message title={empty.title} icon={empty.icon ?? SEARCH} action={empty.action}>
      {empty.text}
    </Message>
  );
}
