import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { HttpSender } from '../../client/http-sender.ts';
import { ServiceError } from '../../client/service-error.ts';
import {
  readReplayPage,
  type SharedRecording,
  sharedRecordingPath,
} from '../../contract/http/shared-recording.ts';
import { createQueryClient } from '../data/query-client.ts';
import { exactTime } from '../data/short-time.ts';
import { BrandMark, LinkIcon, SpinnerIcon } from '../icons.tsx';
import { replayTexts as text } from '../texts/replay.ts';
import { ErrorMessage, Message } from '../ui/message.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { ReplayView } from './replay-view.tsx';

/** Interval at which the files of a recording that is not complete are requested again. */
const PROCESSING_POLL_MS = 5_000;

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** Replays a recording for a viewer with a link to it, without a key. */
export function SharedReplayPage() {
  const fragment = useSyncExternalStore(subscribe, () => location.hash);
  const link = readReplayPage(fragment);
  const cache = useMemo(() => createQueryClient(() => {}), []);
  usePageTitle(text.title);
  if (link === null) {
    return (
      <main>
        <Message title={text.brokenLinkTitle} isPage icon={<LinkIcon className="size-6" />}>
          {text.brokenLink}
        </Message>
      </main>
    );
  }
  return (
    <QueryClientProvider client={cache}>
      <SharedReplay key={fragment} {...link} />
    </QueryClientProvider>
  );
}

/** Also sets the cookie with which the browser loads the files. */
const open = (sessionId: string, token: string, signal: AbortSignal) =>
  new HttpSender({ baseUrl: location.origin, key: token }).json<SharedRecording>(
    sharedRecordingPath(sessionId),
    {
      ...{ method: 'POST', isRepeatable: true, signal },
    },
  );

const isInvalid = (error: unknown) => error instanceof ServiceError && error.kind === 'unauthorized';

function SharedReplay({ sessionId, token }: { sessionId: string; token: string }) {
  const query = useQuery({
    queryKey: ['shared-recording', sessionId],
    queryFn: ({ signal }) => open(sessionId, token, signal),
    refetchInterval: ({ state }) => (state.data?.is_complete === false ? PROCESSING_POLL_MS : false),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const recording = query.data;
  if (!recording) {
    return (
      <main>
        {isInvalid(query.error) ? (
          <div role="alert">
            <Message title={text.linkInvalidTitle} isPage icon={<LinkIcon className="size-6" />}>
              {text.linkInvalid}
            </Message>
          </div>
        ) : query.error ? (
          <ErrorMessage isPage error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <p role="status" className="py-20 text-center text-soft">
            {text.loading}
          </p>
        )}
      </main>
    );
  }
  if (recording.is_complete && recording.artifacts.length > 0) {
    const { device_name, created_at, expires_at, artifacts } = recording;
    return (
      <ReplayView
        name={device_name ?? text.phone}
        detail={`${exactTime(created_at)} · ${text.sharedUntil(exactTime(expires_at))}`}
        problem={null}
        artifacts={artifacts}
        back={<BrandMark className="size-8" />}
      />
    );
  }
  return (
    <main>
      {recording.is_complete ? (
        <Message title={text.goneTitle} isPage icon={<LinkIcon className="size-6" />}>
          {text.sharedGone}
        </Message>
      ) : (
        <div role="status">
          <Message title={text.processingTitle} isPage icon={<SpinnerIcon className="spin size-6" />}>
            {text.statusDetails.processing}
          </Message>
        </div>
      )}
    </main>
  );
}
