import { useState } from 'react';
import { includesRole, type Key, type Role } from '../../contract/http/key.ts';
import { useUsage } from '../data/queries.ts';
import { KeyIcon } from '../icons.tsx';
import { keyTexts as text } from '../texts/keys.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Message } from '../ui/message.tsx';
import { PageHeader, type PageHeaderProps } from '../ui/page-header.tsx';
import { Paging } from '../ui/paging.tsx';
import { useAddress } from '../ui/use-address.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { type KeyOwner, useKeys } from './key-queries.ts';
import { KeyTable } from './key-table.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';

interface KeyListProps {
  owner: KeyOwner;
  accountName: string;
  liveSessions: number;
  /** Role of the key that the user is signed in with. */
  ownRole: Role;
  header: Omit<PageHeaderProps, 'children'>;
}

/** Lists an account's keys and the actions on them. */
export function KeyList({ owner, accountName, liveSessions, ownRole, header }: KeyListProps) {
  const { page, showPage } = useAddress([]);
  const keys = useKeys(owner, page);
  const [isCreating, setCreating] = useState(false);
  const [leaving, setLeaving] = useState<Key | null>(null);
  const mayChange = ownRole !== 'viewer';
  const maxDays = useUsage().data?.max_key_days ?? null;
  return (
    <>
      <PageHeader {...header}>
        {mayChange && maxDays !== 0 && (
          <Button look="primary" onClick={() => setCreating(true)}>
            {text.create}
          </Button>
        )}
        {mayChange && maxDays === 0 && <p className="text-soft">{text.noLifetime}</p>}
      </PageHeader>
      <Loaded query={keys}>
        {({ items, total, page: shown, page_size }) => (
          <>
            {items.length === 0 ? (
              <Message title={text.none} icon={<KeyIcon className="size-6" />}>
                {text.noneText}
              </Message>
            ) : (
              <KeyTable
                caption={text.caption(accountName)}
                keys={items}
                mayRevoke={(key) => mayChange && includesRole(ownRole, key.role)}
                onRevoke={setLeaving}
              />
            )}
            <Paging page={shown} pageSize={page_size} total={total} onPage={showPage} />
          </>
        )}
      </Loaded>
      {isCreating && (
        <CreateKeyDialog
          owner={owner}
          ownRole={ownRole}
          maxDays={maxDays}
          onClose={() => setCreating(false)}
        />
      )}
      {leaving && (
        <RevokeKeyDialog
          owner={owner}
          apiKey={leaving}
          liveSessions={liveSessions}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  );
}
