import { type Static, Type } from 'typebox';
import { Artifact } from './artifact.ts';
import { nullable, timestamp } from './operation.ts';

/**
 * Paths at which a browser opens a recording through a link, without a key. They are not part of the versioned API,
 * because only the console uses them.
 */
export const SHARED_RECORDING_PATHS = {
  /** POST with the token of the link as `Authorization: Bearer` opens the recording: it sets a cookie for the content. */
  open: '/shared/recordings/:session_id',
  content: '/shared/recordings/:session_id/:artifact_id',
} as const;

export const sharedRecordingPath = (sessionId: string) =>
  SHARED_RECORDING_PATHS.open.replace(':session_id', encodeURIComponent(sessionId));

/** A recording, as a link shows it. */
export const SharedRecording = Type.Object(
  {
    session_id: Type.String({ description: 'Session identifier' }),
    device_name: nullable(Type.String({ description: 'Name of the device' })),
    created_at: timestamp('Time at which the session was created'),
    is_complete: Type.Boolean({ description: 'Whether the host has uploaded all artifacts' }),
    expires_at: timestamp('Time at which the link expires'),
    artifacts: Type.Array(Artifact, {
      description: 'The `url` of each artifact is valid only in the browser that opened the link',
    }),
  },
  { title: 'SharedRecording' },
);
export type SharedRecording = Static<typeof SharedRecording>;

/** The console page of a link. The token is in the fragment, which browsers do not send to a server. */
export const replayPage = (sessionId: string, token: string) =>
  `/replay#${new URLSearchParams({ session: sessionId, token })}`;

/** Parses the fragment of such a page; null if it is malformed. */
export function readReplayPage(fragment: string): { sessionId: string; token: string } | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const [sessionId, token] = [fields.get('session') ?? '', fields.get('token') ?? ''];
  const isValid = /^[\w-]{1,128}$/.test(sessionId) && /^[\w.-]{1,128}$/.test(token);
  return isValid ? { sessionId, token } : null;
}
