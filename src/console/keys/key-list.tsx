import { useState } from 'react';
import { includesRole, type Key, type Role } from '../../contract/http/key.ts';
import { useUsage } from '../data/queries.ts';
import { KeyIcon } from '../icons.tsx';
import { keyTexts as text } from '../texts/keys.ts';
import { Button } from '../ui/button.tsx';
import { ListPage } from '../ui/listing.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader, type PageHeaderProps } from '../ui/page-header.tsx';
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
  const address = useAddress([]);
  const keys = useKeys(owner, address.page);
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
        {(list) => (
          <ListPage
            list={list}
            address={address}
            empty={{ title: text.none, text: text.noneText, icon: <KeyIcon className="size-6" /> }}
          >
            {(rows) => (
              <KeyTable
                caption={text.caption(accountName)}
                keys={rows}
                mayRevoke={(key) => mayChange && includesRole(ownRole, key.role)}
                onRevoke={setLeaving}
              />
            )}
          </ListPage>
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
