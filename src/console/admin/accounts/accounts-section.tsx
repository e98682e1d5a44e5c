import { useState } from 'react';
import type { Account } from '../../../contract/http/account.ts';
import { Link } from '../../router.tsx';
import { adminTexts } from '../../texts/admin.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { accountAddress } from '../admin-address.ts';
import { useAccounts } from '../admin-queries.ts';
import { Listing } from '../listing.tsx';
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
        columns={COLUMNS}
        keyOf={({ id }) => id}
        address={address}
        empty={{ title: adminTexts.pastEndTitle, text: adminTexts.pastEnd }}
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
        <Link
          href={accountAddress(id)}
          className="rounded font-medium break-words underline-offset-4 hover:underline"
        >
          {name}
        </Link>
        <p className="truncate text-xs text-soft" title={id}>
          <code>{id}</code>
        </p>
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
