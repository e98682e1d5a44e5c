import type { User } from '../../../contract/http/user.ts';
import { shortTime } from '../../data/short-time.ts';
import { adminTexts } from '../../texts/admin.ts';
import { keyTexts } from '../../texts/keys.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Listing } from '../../ui/listing.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { AccountFilter } from '../account-filter.tsx';
import { accountAddress } from '../admin-address.ts';
import { useUsers } from '../admin-queries.ts';
import { Identifier } from '../identifier.tsx';
import { operatorSentence } from '../operator-sentence.ts';
import { UserActions } from './user-actions.tsx';

const text = adminTexts.users;

/** Lists the users who sign in at the identity provider. */
export function UsersSection() {
  const address = useAddress(['account']);
  const { filters, page, change } = address;
  const users = useUsers({ account_id: filters.account, page });
  return (
    <>
      <PageHeader
        title={text.title}
        detail={users.data && text.count(users.data.total)}
        subtitle={text.subtitle}
      />
      <Filters address={address}>
        <AccountFilter value={filters.account} onChange={(account) => change({ account })} />
      </Filters>
      <Listing
        caption={text.title}
        query={users}
        sentence={operatorSentence}
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
        <Identifier id={id} />
      </>
    ),
  },
  {
    title: text.account,
    className: 'w-40',
    cell: ({ account }) => <TextLink href={accountAddress(account.id)}>{account.name}</TextLink>,
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
