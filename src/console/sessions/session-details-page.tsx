import { type ReactNode, useState } from 'react';
import type { Session } from '../../contract/http/session.ts';
import { useApp } from '../data/app-queries.ts';
import { useSession } from '../data/queries.ts';
import { useNow } from '../data/use-now.ts';
import { ConnectDialog } from '../devices/connect-dialog.tsx';
import { RecordingSection } from '../replay/recording-section.tsx';
import { nameOfPhone } from '../session/session-view.ts';
import { formatLength } from '../session/time-left.ts';
import { sessionHistoryTexts as text } from '../texts/session-history.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { copyToClipboard } from '../ui/copy-to-clipboard.ts';
import { Loaded } from '../ui/loaded.tsx';
import { BackToList, PageHeader } from '../ui/page-header.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { lengthOf, sessionSteps } from './session-events.ts';
import { SessionStatusBadge } from './session-status.tsx';

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** Shows what happened to one session, live or ended: who borrowed which phone, when, with what app, and the charge. */
export function SessionDetailsPage({ sessionId }: { sessionId: string }) {
  usePageTitle(text.title);
  const session = useSession(sessionId);
  return (
    <>
      <BackToList href="/sessions">{text.back}</BackToList>
      <Loaded query={session}>{(found) => <Details session={found} />}</Loaded>
    </>
  );
}

function Details({ session }: { session: Session }) {
  return (
    <>
      <PageHeader
        title={nameOfPhone(session)}
        documentTitle={text.title}
        state={<SessionStatusBadge status={session.status} />}
      >
        <Action session={session} />
      </PageHeader>
      <div className="grid items-start gap-3.5 lg:grid-cols-[3fr_2fr]">
        <Facts session={session} />
        <Timeline session={session} />
        <RecordingSection session={session} className={`${CARD} min-w-0`} />
      </div>
    </>
  );
}

function Action({ session }: { session: Session }) {
  const [isConnecting, setConnecting] = useState(false);
  if (session.status !== 'disconnected') {
    return (
      <ButtonLink look="primary" size="small" href={`/sessions/${session.session_id}`}>
        {text.open}
      </ButtonLink>
    );
  }
  const device = { id: session.device_id, name: nameOfPhone(session) };
  return (
    <>
      <Button size="small" onClick={() => setConnecting(true)}>
        {text.again}
      </Button>
      {isConnecting && <ConnectDialog device={device} onClose={() => setConnecting(false)} />}
    </>
  );
}

const CARD = 'rounded-2xl border border-line bg-panel p-5 shadow-card';

function Facts({ session }: { session: Session }) {
  const { session_id: id, created_by: creator, device_model, minutes_charged, minutes_reserved } = session;
  const length = lengthOf(session, useNow());
  return (
    <section aria-label={text.facts} className={CARD}>
      <dl className="divide-y divide-line text-sm">
        <Fact title={text.by}>{creator?.name ?? text.unknown}</Fact>
        <Fact title={text.phone}>{[nameOfPhone(session), device_model].filter(Boolean).join(' · ')}</Fact>
        <Fact title={text.lasted}>{length === null ? '—' : formatLength(length)}</Fact>
        <Fact title={text.app}>
          <AppOf session={session} />
        </Fact>
        <Fact title={text.charges}>
          {minutes_charged === null
            ? text.reserved(minutes_reserved)
            : text.charged(minutes_charged, minutes_reserved)}
        </Fact>
        <Fact title={text.id}>
          <span className="flex flex-wrap items-center gap-x-5">
            <code className="text-xs break-all">{id}</code>
            <Button
              look="quiet"
              size="small"
              className="-mx-3.5 -my-2"
              onClick={() => void copyToClipboard(id, text.copied)}
            >
              {text.copyId}
            </Button>
          </span>
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-0.5 py-2.5 first:pt-0 last:pb-0">
      <dt className="w-32 shrink-0 text-soft">{title}</dt>
      <dd className="min-w-0 grow basis-48 break-words tabular-nums">{children}</dd>
    </div>
  );
}

function AppOf({ session: { app_id, app_status, app_error } }: { session: Session }) {
  const app = useApp(app_id);
  if (app_id === null) return text.noApp;
  const name = app ? `${app.name} ${app.version}`.trim() : text.deletedApp;
  return (
    <>
      {[name, app_status && text.appStatus[app_status]].filter(Boolean).join(', ')}
      {app_error && <span className="block text-soft">{app_error}</span>}
    </>
  );
}

function Timeline({ session }: { session: Session }) {
  return (
    <section aria-labelledby="timeline" className={`${CARD} lg:row-span-2`}>
      <h2 id="timeline" className="mb-3 font-semibold">
        {text.timeline}
      </h2>
      <ol className="text-sm">
        {sessionSteps(session).map(({ title, at, detail }) => (
          <li
            key={title}
            className="relative border-l border-line pb-4 pl-4 before:absolute before:top-1.5 before:-left-1 before:size-2 before:rounded-full before:bg-edge last:border-transparent last:pb-0"
          >
            <p className="font-medium">{title}</p>
            <p className="text-soft tabular-nums">
              <time dateTime={at}>{moment.format(new Date(at))}</time>
            </p>
            {detail && <p className="text-soft break-words">{detail}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
