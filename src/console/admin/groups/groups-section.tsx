import { useState } from 'react';
import type { Group } from '../../../contract/http/group.ts';
import { adminTexts } from '../../texts/admin.ts';
import { groupTexts as text } from '../../texts/groups.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Listing } from '../../ui/listing.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { accountAddress, adminAddress } from '../admin-address.ts';
import { useGroups } from '../admin-queries.ts';
import { Identifier } from '../identifier.tsx';
import { operatorSentence } from '../operator-sentence.ts';
import { GroupActions } from './group-actions.tsx';
import { GroupDialog } from './group-dialog.tsx';

/** Lists the groups of phones that are visible only to some accounts. */
export function GroupsSection() {
  const address = useAddress([]);
  const groups = useGroups(address.page);
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHeader title={text.title} detail={groups.data && text.count(groups.data.total)}>
        <Button look="primary" onClick={() => setCreating(true)}>
          {text.create}
        </Button>
      </PageHeader>
      <Listing
        caption={text.title}
        query={groups}
        sentence={operatorSentence}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        address={address}
        empty={{ title: text.noneTitle, text: text.none }}
      />
      <p className="mt-4 max-w-3xl text-sm text-soft">{text.explain}</p>
      {isCreating && <GroupDialog group={null} onClose={() => setCreating(false)} />}
    </>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  {
    title: text.group,
    speaksForItself: true,
    className: 'w-64',
    cell: ({ id, name }) => (
      <>
        <p className="font-medium break-words">{name}</p>
        <Identifier id={id} />
      </>
    ),
  },
  { title: text.accounts, cell: (group) => <AccountsOf group={group} /> },
  { title: text.phones, className: 'w-36 tabular-nums', cell: (group) => <PhonesOf group={group} /> },
  {
    title: adminTexts.actions,
    className: 'w-20 text-right',
    cell: (group) => <GroupActions group={group} />,
  },
];

/**
 * Maximum number of accounts named in a row. More would make the row taller than the screen. The dialog lists all of
 * them.
 */
const MAX_NAMED = 8;

function AccountsOf({ group: { accounts } }: { group: Group }) {
  if (accounts.length === 0) return <span className="text-soft">{text.noAccounts}</span>;
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1 max-md:justify-end">
      {accounts.slice(0, MAX_NAMED).map(({ id, name }) => (
        <li key={id} className="min-w-0">
          <TextLink href={accountAddress(id)}>{name}</TextLink>
        </li>
      ))}
      {accounts.length > MAX_NAMED && <li className="text-soft">{text.more(accounts.length - MAX_NAMED)}</li>}
    </ul>
  );
}

function PhonesOf({ group: { id, name, devices } }: { group: Group }) {
  if (devices === 0) return <span className="text-soft">{text.noPhones}</span>;
  return (
    <TextLink href={adminAddress('devices', { group: id })} className="inline-block">
      <span className="sr-only">{text.phonesOf(name)}: </span>
      {text.phoneCount(devices)}
    </TextLink>
  );
}
