import type { User } from '../../../contract/http/user.ts';
import { shortTime } from '../../data/short-time.ts';
import { Link } from '../../router.tsx';
import { adminTexts } from '../../texts/admin.ts';
import { keyTexts } from '../../texts/keys.ts';
import type { Column } from '../../ui/data-table.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { accountAddress } from '../admin-address.ts';
import { useAccountChoices, useUsers } from '../admin-queries.ts';
import { Filters, NamedFilter } from '../filters.tsx';
import { Listing } from '../listing.tsx';
import { UserActions } from './user-actions.tsx';

const text = adminTexts.users;

/** Lists the users who sign in at the identity provider. */
export function UsersSection() {
  const address = useAddress(['account']);
  const { filters, page, change } = address;
  const accounts = useAccountChoices();
  const users = useUsers({ account_id: filters.account, page });
  return (
    <>
      <PageHeader title={text.title} detail={users.data && text.count(users.data.total)} />
      <p className="-mt-2 mb-5 text-soft">{text.subtitle}</p>
      <Filters isFiltered={address.isFiltered} onClear={address.clear}>
        <NamedFilter
          label={text.account}
          any={text.anyAccount}
          value={filters.account}
          choices={accounts}
          onChange={(account) => change({ account })}
        />
      </Filters>
      <Listing
        caption={text.title}
        query={users}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        address={address}
        empty={{ title: text.noneTitle, text: text.none }}
      />
    </>
  );
}

const COLUMNS: readonly Column<User>[] = [
  {
    title: text.user,
    speaksForItself: true,
    cell: ({ id, name, email }) => (
      <>
        <p className="font-medium break-words">{name}</p>
        {email && <p className="break-words text-soft">{email}</p>}
        <p className="truncate text-xs text-soft" title={id}>
          <code>{id}</code>
        </p>
      </>
    ),
  },
  {
    title: text.account,
    className: 'w-40',
    cell: ({ account }) => (
      <Link
        href={accountAddress(account.id)}
        className="rounded break-words underline-offset-4 hover:underline"
      >
        {account.name}
      </Link>
    ),
  },
  { title: text.role, className: 'w-28', cell: ({ role }) => keyTexts.roles[role] },
  {
    title: text.lastSignIn,
    className: 'w-40 tabular-nums',
    cell: ({ last_sign_in_at }) => (last_sign_in_at ? shortTime(last_sign_in_at) : adminTexts.never),
  },
  {
    title: text.state,
    className: 'w-36',
    cell: ({ disabled_at }) =>
      disabled_at === null ? (
        <StatusBadge tone="good">{text.enabled}</StatusBadge>
      ) : (
        <StatusBadge tone="bad">{text.disabled}</StatusBadge>
      ),
  },
  { title: adminTexts.actions, className: 'w-20 text-right', cell: (user) => <UserActions user={user} /> },
];
