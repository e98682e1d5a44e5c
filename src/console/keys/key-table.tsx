import type { Key } from '../../contract/http/key.ts';
import { useNow } from '../data/use-now.ts';
import { TrashIcon } from '../icons.tsx';
import { keyTexts as text } from '../texts/keys.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';

const when = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

interface KeyTableProps {
  caption: string;
  keys: readonly Key[];
  mayRevoke(key: Key): boolean;
  onRevoke(key: Key): void;
}

export function KeyTable({ caption, keys, mayRevoke, onRevoke }: KeyTableProps) {
  const now = useNow();
  const isOver = (key: Key) =>
    key.revoked_at !== null || (key.expires_at !== null && Date.parse(key.expires_at) <= now);
  const columns: readonly Column<Key>[] = [
    { title: text.name, cell: (key) => <KeyName apiKey={key} />, speaksForItself: true },
    { title: text.role, cell: ({ role }) => text.roles[role], className: 'w-20 xl:w-28' },
    { title: text.lastUsed, cell: (key) => <LastUse apiKey={key} />, className: 'w-52' },
    {
      title: text.expires,
      cell: ({ expires_at }) => (expires_at ? day.format(new Date(expires_at)) : text.never),
      className: 'w-32 tabular-nums',
    },
    {
      title: text.state,
      cell: (key) => <State apiKey={key} isOver={isOver(key)} />,
      className: 'w-32',
    },
    {
      title: text.actions,
      cell: (key) =>
        !isOver(key) &&
        mayRevoke(key) && (
          <IconButton
            label={text.revokeOne(key.name)}
            icon={<TrashIcon />}
            side="left"
            onClick={() => onRevoke(key)}
            size="small"
            className="-my-1.5 ml-auto"
          />
        ),
      className: 'w-24 text-right',
    },
  ];
  return <DataTable caption={caption} columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

function KeyName({ apiKey: { name, prefix, created_at, user, signed_in } }: { apiKey: Key }) {
  return (
    <>
      <p className="font-medium break-words">{name}</p>
      <p className="text-soft">
        {signed_in ? text.browserSession : <code className="text-xs">{prefix}…</code>} ·{' '}
        {text.created.toLowerCase()} {day.format(new Date(created_at))}
        {user && ` · ${user.name}`}
      </p>
    </>
  );
}

function LastUse({ apiKey: { last_used_at, last_used_from } }: { apiKey: Key }) {
  if (last_used_at === null) return <span className="text-soft">{text.never}</span>;
  return (
    <>
      <p className="tabular-nums">{when.format(new Date(last_used_at))}</p>
      {last_used_from && <p className="truncate text-soft">{last_used_from}</p>}
    </>
  );
}

function State({ apiKey, isOver }: { apiKey: Key; isOver: boolean }) {
  if (apiKey.revoked_at !== null) return <StatusBadge tone="bad">{text.revoked}</StatusBadge>;
  if (isOver) return <StatusBadge tone="idle">{text.expired}</StatusBadge>;
  return <StatusBadge tone="good">{apiKey.current ? text.current : text.valid}</StatusBadge>;
}
