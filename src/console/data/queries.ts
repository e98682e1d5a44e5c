import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ServiceError } from '../../client/service-error.ts';
import type { Session, SessionStatus } from '../../contract/http/session.ts';
import { useClient } from '../account/account.tsx';
import { useIsLive } from './live-updates.tsx';
import { POLL_MS } from './query-client.ts';

const SESSIONS_PAGE = 20;
/** More live sessions than a user returns to. */
const LIVE_SESSIONS = 20;
/** There is no event when an operator changes the limits. */
const USAGE_POLL_MS = { live: 60_000, polling: 15_000 };
/** The session page also uses the responses to detect whether the service is reachable. */
const SESSION_POLL_MS = { live: 4_000, polling: POLL_MS };

export function useUsage() {
  const client = useClient();
  const isLive = useIsLive();
  return useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => client.getUsage(signal),
    refetchInterval: isLive ? USAGE_POLL_MS.live : USAGE_POLL_MS.polling,
  });
}

export function useDevice(deviceId: string | undefined) {
  const client = useClient();
  return useQuery({
    queryKey: ['devices', 'one', deviceId],
    queryFn: ({ signal }) => client.getDevice(deviceId ?? '', signal),
    enabled: deviceId !== undefined,
    staleTime: 60_000,
  });
}

/** The recording of an ended session is processed in the background. There are events when its state changes. */
const RECORDING_POLL_MS = { live: 15_000, polling: POLL_MS };

const isProcessing = ({ recording }: Session) =>
  recording?.status === 'recording' || recording?.status === 'processing';

/** Queries one session, and polls until it has ended and its recording is processed, because that state is final. */
export function useSession(sessionId: string) {
  const client = useClient();
  const mode = useIsLive() ? 'live' : 'polling';
  return useQuery({
    queryKey: ['sessions', 'one', sessionId],
    queryFn: ({ signal }) => client.getSession(sessionId, signal),
    refetchInterval: ({ state }) => {
      if (state.data?.status === 'disconnected') {
        return isProcessing(state.data) ? RECORDING_POLL_MS[mode] : false;
      }
      const gone = state.error instanceof ServiceError && state.error.status === 404;
      return gone ? false : SESSION_POLL_MS[mode];
    },
  });
}

/** How often the commands are queried while a WebDriver client uses the session, and until then. */
const COMMANDS_POLL_MS = { inUse: 1_000, unused: 5_000 };

/** Queries the latest commands of the WebDriver client on a connected session, newest first. */
export function useWebDriverCommands({ session_id: sessionId, status }: Session) {
  const client = useClient();
  return useQuery({
    queryKey: ['sessions', 'commands', sessionId],
    queryFn: async ({ signal }) => (await client.webDriverCommands(sessionId, signal)).items,
    enabled: status === 'connected',
    retry: false,
    refetchInterval: ({ state }) => (state.data?.length ? COMMANDS_POLL_MS.inUse : COMMANDS_POLL_MS.unused),
  });
}

export interface SessionFilters {
  status: SessionStatus | '';
  device_id: string;
  page: number;
}

/** Queries a page of the account's sessions, newest first. */
export function useSessions(filters: SessionFilters) {
  const client = useClient();
  const isLive = useIsLive();
  return useQuery({
    queryKey: ['sessions', 'list', filters],
    queryFn: ({ signal }) => client.listSessions({ ...filters, page_size: SESSIONS_PAGE }, signal),
    refetchInterval: isLive ? false : POLL_MS * 2,
    placeholderData: keepPreviousData,
  });
}

/** Queries the account's sessions that have not ended, newest first. */
export function useLiveSessions() {
  const client = useClient();
  const isLive = useIsLive();
  return useQuery({
    queryKey: ['sessions', 'live'],
    queryFn: async ({ signal }) =>
      (await client.listSessions({ status: 'live', page_size: LIVE_SESSIONS }, signal)).items,
    refetchInterval: isLive ? false : POLL_MS,
  });
}

/** Stores a session that the service returned in the cache, and refetches all queries that it affects. */
function useStoreSession() {
  const cache = useQueryClient();
  return (session: Session) => {
    cache.setQueryData(['sessions', 'one', session.session_id], session);
    return Promise.all(
      [['sessions', 'live'], ['sessions', 'list'], ['devices'], ['usage']].map((queryKey) =>
        cache.invalidateQueries({ queryKey }),
      ),
    );
  };
}

/** Whether to record the session. Empty: as the account's default says. */
export interface RecordingChoice {
  record?: boolean;
  record_text?: boolean;
}

export interface ConnectInput {
  deviceId: string;
  duration: number;
  /** Id of the app to install, or null. */
  appId: string | null;
  recording: RecordingChoice;
  idempotencyKey: string;
}

export function useConnect() {
  const client = useClient();
  const store = useStoreSession();
  return useMutation({
    mutationFn: ({ deviceId, duration, appId, recording, idempotencyKey }: ConnectInput) =>
      client.connect(
        deviceId,
        { duration, ...(appId !== null && { app_id: appId }), ...recording },
        { idempotencyKey },
      ),
    onSuccess: (session) => void store(session),
  });
}

/** Installs an app on a session's phone. The session then contains the progress. */
export function useInstall(sessionId: string) {
  const client = useClient();
  const cache = useQueryClient();
  const store = useStoreSession();
  return useMutation({
    mutationFn: async (appId: string) => {
      const session = await client.install(sessionId, appId);
      // The response to a pending request does not include this installation yet.
      await cache.cancelQueries({ queryKey: ['sessions', 'one', sessionId] });
      return session;
    },
    onSuccess: (session) => void store(session),
  });
}

export function useExtend(sessionId: string) {
  const client = useClient();
  const store = useStoreSession();
  return useMutation({
    mutationFn: (duration: number) => client.extend(sessionId, duration),
    onSuccess: (session) => void store(session),
  });
}

export function useEndSession(sessionId: string) {
  const client = useClient();
  const store = useStoreSession();
  return useMutation({
    mutationFn: () => client.disconnect(sessionId),
    onSuccess: (session) => void store(session),
  });
}
