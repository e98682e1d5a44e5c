import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ControlResult } from '../../../contract/sockets/control-methods.ts';
import { errorSentence } from '../../data/error-sentence.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ErrorNote } from '../../ui/message.tsx';
import { FIELD } from '../../ui/select.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { Control } from '../use-control.ts';
import { Section } from './section.tsx';

const text = texts.tools.apps;
/** Minimum number of apps for which a search field is shown. */
const SEARCHED_FROM = 9;

type PhoneApp = ControlResult<'app.list'>['apps'][number];

/** Sorts the apps on the phone: removable apps first, then by name. */
export function inOrder(apps: readonly PhoneApp[]): PhoneApp[] {
  return [...apps].sort(
    (a, b) => Number(a.system) - Number(b.system) || a.label.localeCompare(b.label, 'en'),
  );
}

export function PhoneApps({ sessionId, control }: { sessionId: string; control: Control }) {
  const [search, setSearch] = useState('');
  const [leaving, setLeaving] = useState<PhoneApp | null>(null);
  const list = useQuery({
    queryKey: ['phone-apps', sessionId],
    queryFn: () => control.call('app.list', {}),
    enabled: control.can('app.list'),
    // Always refetched when the list is shown, because other clients also change the apps on a phone.
    staleTime: 0,
  });
  const apps = inOrder(list.data?.apps ?? []);
  const wanted = search.trim().toLowerCase();
  const found = apps.filter((app) => `${app.label} ${app.package}`.toLowerCase().includes(wanted));
  return (
    <Section
      title={text.listTitle}
      action={
        <Button size="small" look="quiet" busy={list.isFetching} onClick={() => void list.refetch()}>
          {text.refresh}
        </Button>
      }
    >
      {apps.length >= SEARCHED_FROM && (
        <input
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className={`${FIELD} mb-2 px-3 placeholder:text-soft`}
        />
      )}
      <ErrorNote error={list.error} />
      {list.data && found.length === 0 && <p className="text-sm text-soft">{text.noMatch}</p>}
      <ul className="-mx-2 divide-y divide-line">
        {found.map((app) => (
          <PhoneAppRow key={app.package} app={app} control={control} onUninstall={() => setLeaving(app)} />
        ))}
      </ul>
      {leaving && (
        <UninstallDialog
          app={leaving}
          control={control}
          onDone={() => void list.refetch()}
          onClose={() => setLeaving(null)}
        />
      )}
    </Section>
  );
}

interface PhoneAppRowProps {
  app: PhoneApp;
  control: Control;
  onUninstall(): void;
}

function PhoneAppRow({ app, control, onUninstall }: PhoneAppRowProps) {
  const { label, package: name, system } = app;
  const stop = () =>
    control.call('app.stop', { package: name }).then(
      () => toast(text.stopped(label)),
      (error: unknown) => toast(errorSentence(error), { tone: 'bad' }),
    );
  return (
    <li className="px-2 py-2">
      <p className="truncate text-sm font-medium" title={label}>
        {label}
      </p>
      <p className="truncate text-xs text-soft" title={name}>
        {name}
      </p>
      <div className="mt-1 -ml-2 flex">
        {control.can('app.launch') && (
          <RowButton label={text.openOne(label)} onClick={() => control.run('app.launch', { package: name })}>
            {text.open}
          </RowButton>
        )}
        {control.can('app.stop') && (
          <RowButton label={text.stopOne(label)} onClick={() => void stop()}>
            {text.stop}
          </RowButton>
        )}
        {control.can('app.uninstall') && !system && (
          <RowButton label={text.uninstallOne(label)} onClick={onUninstall} className="!text-bad">
            {text.uninstall}
          </RowButton>
        )}
      </div>
    </li>
  );
}

function RowButton({
  label,
  className = '',
  onClick,
  children,
}: {
  label: string;
  className?: string;
  onClick(): void;
  children: string;
}) {
  return (
    <Button size="small" look="quiet" aria-label={label} onClick={onClick} className={`!px-2 ${className}`}>
      {children}
    </Button>
  );
}

interface UninstallDialogProps {
  app: PhoneApp;
  control: Control;
  onDone(): void;
  onClose(): void;
}

function UninstallDialog({ app, control, onDone, onClose }: UninstallDialogProps) {
  const uninstall = useMutation({
    mutationFn: () => control.call('app.uninstall', { package: app.package }),
    onSuccess: () => {
      toast(text.uninstalled(app.label));
      onClose();
    },
    onSettled: onDone,
  });
  return (
    <FormDialog
      title={text.uninstallTitle(app.label)}
      explain={text.uninstallExplain}
      submit={text.uninstall}
      danger
      pending={uninstall.isPending}
      error={uninstall.error}
      onSubmit={() => uninstall.mutate()}
      onClose={onClose}
    />
  );
}
