import { useState } from 'react';
import type { Artifact } from '../../contract/http/artifact.ts';
import type { RecordingStatus, Session } from '../../contract/http/session.ts';
import { useUsage } from '../data/queries.ts';
import { RecordIcon } from '../icons.tsx';
import { nameOfPhone } from '../session/session-view.ts';
import { replayTexts as text } from '../texts/replay.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { ArtifactList } from './artifact-list.tsx';
import { isReplayable, useArtifacts } from './artifact-queries.ts';
import { DeleteArtifactsDialog } from './delete-artifacts-dialog.tsx';

export const replayAddress = ({ session_id: id }: Session) => `/sessions/${id}/replay`;

const TONES = {
  recording: 'own',
  processing: 'own',
  complete: 'good',
  failed: 'bad',
} as const satisfies Record<RecordingStatus, string>;

/** The recording of a session: its state, and its files with their downloads. */
export function RecordingSection({ session, className }: { session: Session; className: string }) {
  const { recording } = session;
  const artifacts = useArtifacts(session, isReplayable(session));
  const [toDelete, setToDelete] = useState<readonly Artifact[] | null>(null);
  const mayDelete = useMayDelete();
  if (!recording) return null;
  const explanation = [
    text.statusDetails[recording.status],
    recording.detail && text.reason(recording.detail),
  ];
  return (
    <section aria-labelledby="recording" className={className}>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <h2 id="recording" className="flex items-center gap-2 font-semibold">
          <RecordIcon className="size-5 text-soft" />
          {text.recording}
        </h2>
        <StatusBadge tone={TONES[recording.status]}>{text.statuses[recording.status]}</StatusBadge>
        {artifacts.data && artifacts.data.length > 0 && (
          <ButtonLink size="small" look="primary" className="ml-auto" href={replayAddress(session)}>
            {text.open}
          </ButtonLink>
        )}
      </div>
      <p className="text-sm text-soft not-empty:mb-3">{explanation.filter(Boolean).join(' ')}</p>
      {isReplayable(session) && (
        <Loaded query={artifacts}>
          {(items) =>
            items.length === 0 ? (
              <p className="text-sm text-soft">{text.goneTitle}.</p>
            ) : (
              <ArtifactList
                name={nameOfPhone(session)}
                artifacts={items}
                onDelete={mayDelete ? setToDelete : undefined}
              />
            )
          }
        </Loaded>
      )}
      {toDelete && (
        <DeleteArtifactsDialog
          sessionId={session.session_id}
          artifacts={toDelete}
          onClose={() => setToDelete(null)}
        />
      )}
    </section>
  );
}

/** Whether the key of the user may delete files. */
export function useMayDelete(): boolean {
  const role = useUsage().data?.role;
  return role !== undefined && role !== 'viewer';
}
