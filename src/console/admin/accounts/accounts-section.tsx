import { useState } from 'react';
import type { Account } from '../../../contract/http/account.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Listing } from '../../ui/listing.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { accountAddress } from '../admin-address.ts';
import { useAccounts } from '../admin-queries.ts';
import { Identifier } from '../identifier.tsx';
import { operatorSentence } from '../operator-sentence.ts';
import { AccountActions } from './account-actions.tsx';
import { AccountDialog } from './account-dialog.tsx';

const text = adminTexts.accounts;

/** Lists the accounts and their limits. */
export function AccountsSection() {
  const address = useAddress([]);
  const accounts = useAccounts(address.page);
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHeader title={text.title} detail={accounts.data && text.count(accounts.data.total)}>
        <Button look="primary" onClick={() => setCreating(true)}>
          {text.create}
        </Button>
      </PageHeader>
      <Listing
        caption={text.title}
        query={accounts}
        sentence={operatorSentence}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        address={address}
        empty={{ title: text.noneTitle, text: text.none }}
      />
      {isCreating && <AccountDialog account={null} onClose={() => setCreating(false)} />}
    </>
  );
}

const COLUMNS: readonly Column<Account>[] = [
  {
    title: text.account,
    speaksForItself: true,
    cell: ({ id, name }) => (
      <>
        <TextLink href={accountAddress(id)} className="font-medium">
          {name}
        </TextLink>
        <Identifier id={id} />
      </>
    ),
  },
  { title: text.state, className: 'w-36', cell: (account) => <AccountState account={account} /> },
  {
    title: text.minutes,
    className: 'w-44 tabular-nums',
    cell: ({ minutes_used, quota_minutes }) => text.used(minutes_used, quota_minutes),
  },
  {
    title: text.live,
    className: 'w-36 tabular-nums',
    cell: ({ live_sessions, max_sessions }) => text.liveOf(live_sessions, max_sessions),
  },
  {
    title: adminTexts.actions,
    className: 'w-20 text-right',
    cell: (account) => <AccountActions account={account} />,
  },
];

export function AccountState({ account: { disabled_at } }: { account: Account }) {
  return disabled_at === null ? (
    <StatusBadge tone="good">{text.enabled}</StatusBadge>
  ) : (
    <StatusBadge tone="bad">{text.disabled}</StatusBadge>
  );
}
