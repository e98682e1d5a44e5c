import { type ReactNode, useState } from 'react';
import type { Artifact } from '../../contract/http/artifact.ts';
import type { Session } from '../../contract/http/session.ts';
import { useSession } from '../data/queries.ts';
import { exactTime } from '../data/short-time.ts';
import { ClockIcon, PageBackIcon, RecordIcon, SpinnerIcon, TrashIcon, WarningIcon } from '../icons.tsx';
import { Layout } from '../layout/layout.tsx';
import { Link } from '../router.tsx';
import { nameOfPhone } from '../session/session-view.ts';
import { replayTexts as text } from '../texts/replay.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ErrorMessage, Message } from '../ui/message.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { isReplayable, useArtifacts } from './artifact-queries.ts';
import { DeleteArtifactsDialog } from './delete-artifacts-dialog.tsx';
import { useMayDelete } from './recording-section.tsx';
import { ReplayView } from './replay-view.tsx';
import { ShareRecordingDialog } from './share-recording-dialog.tsx';

/** Replays the recording of a session of the account, or explains why it cannot be replayed. */
export function ReplayPage({ sessionId }: { sessionId: string }) {
  usePageTitle(text.title);
  const session = useSession(sessionId);
  if (session.data) return <Recorded session={session.data} />;
  return (
    <Layout current="session-details">
      {session.error ? (
        <ErrorMessage isPage error={session.error} onRetry={() => void session.refetch()} />
      ) : (
        <Opening />
      )}
    </Layout>
  );
}

const Opening = () => (
  <p role="status" className="py-20 text-center text-soft">
    {text.loading}
  </p>
);

function Recorded({ session }: { session: Session }) {
  const artifacts = useArtifacts(session, isReplayable(session));
  if (isReplayable(session) && artifacts.data && artifacts.data.length > 0) {
    return <Replayable session={session} artifacts={artifacts.data} />;
  }
  return (
    <Layout current="session-details">
      {!isReplayable(session) ? (
        <NotReplayable session={session} />
      ) : artifacts.error ? (
        <ErrorMessage isPage error={artifacts.error} onRetry={() => void artifacts.refetch()} />
      ) : artifacts.data ? (
        <State session={session} title={text.goneTitle} icon={<TrashIcon className="size-6" />}>
          {text.gone}
        </State>
      ) : (
        <Opening />
      )}
    </Layout>
  );
}

const detailsOf = ({ session_id }: Session) => `/sessions/${session_id}/details`;

function Replayable({ session, artifacts }: { session: Session; artifacts: readonly Artifact[] }) {
  const [toDelete, setToDelete] = useState<readonly Artifact[] | null>(null);
  const [isSharing, setSharing] = useState(false);
  const mayDelete = useMayDelete();
  const { session_id: id, device_model, created_at, recording } = session;
  return (
    <>
      <ReplayView
        name={nameOfPhone(session)}
        detail={[exactTime(created_at), device_model].filter(Boolean).join(' · ')}
        problem={recording?.detail ?? null}
        artifacts={artifacts}
        back={
          <Link
            href={detailsOf(session)}
            aria-label={text.back}
            className="-ml-1 grid size-control shrink-0 place-items-center rounded-lg text-soft hover:bg-sunken hover:text-ink"
          >
            <PageBackIcon />
          </Link>
        }
        {...(mayDelete && {
          onDelete: setToDelete,
          actions: <Button onClick={() => setSharing(true)}>{text.share}</Button>,
        })}
      />
      {isSharing && <ShareRecordingDialog sessionId={id} onClose={() => setSharing(false)} />}
      {toDelete && (
        <DeleteArtifactsDialog sessionId={id} artifacts={toDelete} onClose={() => setToDelete(null)} />
      )}
    </>
  );
}

function NotReplayable({ session }: { session: Session }) {
  const { recording, status } = session;
  const detail = recording?.detail ? ` ${text.reason(recording.detail)}` : '';
  if (recording === null) {
    return (
      <State session={session} title={text.notRecordedTitle} icon={<RecordIcon className="size-6" />}>
        {text.notRecorded}
      </State>
    );
  }
  if (recording.status === 'failed') {
    return (
      <State session={session} title={text.failedTitle} icon={<WarningIcon className="size-6" />}>
        {text.statusDetails.failed + detail}
      </State>
    );
  }
  if (status !== 'disconnected') {
    return (
      <State session={session} title={text.liveTitle} icon={<ClockIcon className="size-6" />}>
        {text.live}
      </State>
    );
  }
  return (
    <div role="status">
      <State session={session} title={text.processingTitle} icon={<SpinnerIcon className="spin size-6" />}>
        {text.statusDetails.processing}
      </State>
    </div>
  );
}

interface StateProps {
  session: Session;
  title: string;
  icon: ReactNode;
  children: string;
}

/** Explains why the session cannot be replayed, and links to the session. */
function State({ session, title, icon, children }: StateProps) {
  return (
    <Message
      title={title}
      isPage
      icon={icon}
      action={
        <>
          {session.status !== 'disconnected' && (
            <ButtonLink look="primary" href={`/sessions/${session.session_id}`}>
              {text.openSession}
            </ButtonLink>
          )}
          <ButtonLink href={detailsOf(session)}>{text.toDetails}</ButtonLink>
        </>
      }
    >
      {children}
    </Message>
  );
}
