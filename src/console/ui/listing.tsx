import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '../../contract/http/page.ts';
import { SearchIcon } from '../icons.tsx';
import { adminTexts as text } from '../texts/admin.ts';
import { Button } from '../ui/button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Message } from '../ui/message.tsx';
import { Paging } from '../ui/paging.tsx';
import { operatorSentence } from './operator-sentence.ts';

interface ListingProps<Row> {
  caption: string;
  query: UseQueryResult<Page<Row>>;
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  address: { isFiltered: boolean; showPage(page: number): void; clear(): void };
  /** The message shown when the list is empty without any filter. */
  empty: { title: string; text: string };
}

/** One page of an operator's list, or a message why there is none. */
export function Listing<Row>({ caption, query, columns, keyOf, address, empty }: ListingProps<Row>) {
  const icon = <SearchIcon className="size-6" />;
  const nothing = (total: number): ReactNode => {
    if (total > 0) {
      const action = <Button onClick={() => address.showPage(1)}>{text.firstPage}</Button>;
      return (
        <Message title={text.pastEndTitle} icon={icon} action={action}>
          {text.pastEnd}
        </Message>
      );
    }
    if (address.isFiltered) {
      return (
        <Message
          title={text.noMatchTitle}
          icon={icon}
          action={<Button onClick={address.clear}>{text.clear}</Button>}
        >
          {text.noMatch}
        </Message>
      );
    }
    return (
      <Message title={empty.title} icon={icon}>
        {empty.text}
      </Message>
    );
  };
  return (
    <Loaded query={query} sentence={operatorSentence}>
      {({ items, total, page, page_size }) => (
        <>
          {items.length === 0 ? (
            nothing(total)
          ) : (
            <DataTable caption={caption} columns={columns} rows={items} keyOf={keyOf} />
          )}
          <Paging page={page} pageSize={page_size} total={total} onPage={address.showPage} />
        </>
      )}
    </Loaded>
  );
}
