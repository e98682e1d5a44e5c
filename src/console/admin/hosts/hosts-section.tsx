import { useState } from 'react';
import type { Host } from '../../../contract/http/host.ts';
import { shortTime } from '../../data/short-time.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useAddress } from '../../ui/use-address.ts';
import { adminAddress } from '../admin-address.ts';
import { useHosts, useRevokeHost } from '../admin-queries.ts';
import { Identifier } from '../identifier.tsx';
import { operatorSentence } from '../operator-sentence.ts';
import { AddHostDialog } from './add-host-dialog.tsx';

const text = adminTexts.hosts;
const TONES = { up: 'good', silent: 'bad', revoked: 'idle' } as const;

/** Lists the device hosts and their state. */
export function HostsSection() {
  const address = useAddress([]);
  const hosts = useHosts(address.page);
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Host | null>(null);
  return (
    <>
      <PageHeader title={text.title} detail={hosts.data && text.count(hosts.data.total)}>
        <Button look="primary" size="small" onClick={() => setAdding(true)}>
          {text.add}
        </Button>
      </PageHeader>
      <Listing
        caption={text.title}
        query={hosts}
        sentence={operatorSentence}
        columns={columns(setLeaving)}
        keyOf={({ id }) => id}
        address={address}
        empty={{ title: text.noneTitle, text: text.addExplain }}
      />
      {isAdding && <AddHostDialog onClose={() => setAdding(false)} />}
      {leaving && <RevokeHostDialog host={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

const columns = (onRevoke: (host: Host) => void): readonly Column<Host>[] => [
  {
    title: text.host,
    speaksForItself: true,
    className: 'w-48 xl:w-80',
    cell: ({ id, name }) => (
      <>
        <p className="font-medium break-words">{name}</p>
        <Identifier id={id} />
      </>
    ),
  },
  {
    title: text.state,
    cell: (host) => <StateOf host={host} />,
  },
  {
    title: text.lastSeen,
    className: 'w-26 xl:w-32 tabular-nums',
    cell: ({ last_seen }) => (last_seen ? shortTime(last_seen) : adminTexts.never),
  },
  { title: text.phones, className: 'w-36 xl:w-44', cell: (host) => <PhonesOf host={host} /> },
  { title: text.live, className: 'w-24 xl:w-34 tabular-nums', cell: ({ live_sessions }) => live_sessions },
  {
    title: adminTexts.actions,
    className: 'w-28 text-right',
    cell: (host) =>
      host.state !== 'revoked' && (
        <Button look="danger" size="small" onClick={() => onRevoke(host)}>
          {text.revoke}
        </Button>
      ),
  },
];

function StateOf({ host: { state, last_seen } }: { host: Host }) {
  const isNew = state === 'silent' && last_seen === null;
  const step = isNew ? text.notYet : text.steps[state];
  return (
    <div className="flex flex-col items-start gap-1.5 max-md:items-end">
      <StatusBadge tone={isNew ? 'idle' : TONES[state]}>{text.states[state]}</StatusBadge>
      {step && <p className="text-soft">{step}</p>}
    </div>
  );
}

function PhonesOf({ host: { id, name, phones } }: { host: Host }) {
  const kinds = (['available', 'busy', 'offline', 'maintenance'] as const).filter((kind) => phones[kind] > 0);
  if (kinds.length === 0) return <span className="text-soft">{text.noPhones}</span>;
  return (
    <TextLink href={adminAddress('devices', { host: id })} className="inline-block">
      <span className="sr-only">{text.phonesOf(name)}: </span>
      {kinds.map((kind) => `${phones[kind]} ${adminTexts.devices.conditions[kind].toLowerCase()}`).join(', ')}
    </TextLink>
  );
}

function RevokeHostDialog({ host, onClose }: { host: Host; onClose(): void }) {
  const revoke = useRevokeHost();
  const { available, busy, maintenance } = host.phones;
  const submit = () =>
    revoke.mutate(host.id, {
      onSuccess: ({ name }) => {
        toast(text.revoked(name));
        onClose();
      },
    });
  return (
    <FormDialog
      title={text.revokeTitle(host.name)}
      explain={text.revokeExplain(available + busy + maintenance, host.live_sessions)}
      submit={text.revokeSubmit}
      danger
      pending={revoke.isPending}
      error={revoke.error}
      sentence={operatorSentence}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
