import { type Static, Type } from 'typebox';
import { none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { sessionParams } from './session.ts';

/**
 * video: the screen in one orientation. events: what happened during the recording, one JSON object per line
 * (`RecordingEvent`). log: the log of the phone, one JSON object per line (`RecordedLogLine`). screenshot: a screenshot
 * that was taken during the recording.
 */
export const ARTIFACT_KINDS = ['video', 'events', 'log', 'screenshot'] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

/** Media type of each kind of artifact. */
export const ARTIFACT_TYPES = {
  video: 'video/mp4',
  events: 'application/jsonl',
  log: 'application/jsonl',
  screenshot: 'image/png',
} as const satisfies Record<ArtifactKind, string>;

/** Maximum number of artifacts of one session. A recording that needs more stops. */
export const MAX_ARTIFACTS_PER_SESSION = 200;

/** Name of an artifact, which is unique in its session. */
export const ARTIFACT_NAME = '^[a-z]+(-[0-9]{1,4})?\\.(mp4|jsonl|png)$';

export const Artifact = Type.Object(
  {
    id: Type.String({ description: 'Artifact identifier' }),
    kind: Type.Enum([...ARTIFACT_KINDS], {
      description:
        'video: the screen in one orientation, as MP4 (H.264). events: input, commands, rotations, apps and marks, ' +
        'one JSON object per line. log: the log of the phone, one JSON object per line. screenshot: a screenshot ' +
        'that a client took',
    }),
    name: Type.String({ description: 'File name, such as `video-1.mp4`' }),
    type: Type.String({ description: 'Media type, such as `video/mp4`' }),
    size: Type.Integer({ minimum: 0, description: 'Size in bytes' }),
    offset_ms: Type.Integer({
      minimum: 0,
      description: 'Time from the start of the recording to the start of the artifact, in milliseconds',
    }),
    duration_ms: nullable(
      Type.Integer({ minimum: 0, description: 'Length in milliseconds' }),
      'null for a screenshot',
    ),
    width: nullable(
      Type.Integer({ minimum: 1, description: 'Width in pixels' }),
      'null if it is not a picture',
    ),
    height: nullable(
      Type.Integer({ minimum: 1, description: 'Height in pixels' }),
      'null if it is not a picture',
    ),
    created_at: timestamp('Time at which the service received the artifact'),
    url: Type.String({
      description: 'Path of the content on this service. It accepts range requests',
    }),
  },
  { title: 'Artifact' },
);
export type Artifact = Static<typeof Artifact>;

export const artifactParams = strict({
  ...sessionParams.properties,
  artifact_id: Type.String({ description: 'Artifact identifier' }),
});

export const artifactOperations = {
  'sessions.artifacts.list': {
    method: 'GET',
    path: '/sessions/{session_id}/artifacts',
    summary: 'List the artifacts of a recorded session in chronological order',
    description:
      'The list is complete when the `recording.status` of the session is `complete`. Artifacts are deleted after ' +
      'the `artifact_days` of the account.',
    access: 'read',
    params: sessionParams,
    query: none,
    body: none,
    answer: Type.Object({ items: Type.Array(Artifact) }),
    errors: ['sessionNotFound'],
  },
  'sessions.artifacts.get': {
    method: 'GET',
    path: '/sessions/{session_id}/artifacts/{artifact_id}',
    summary: 'Download an artifact',
    description:
      'The response has the media type of the artifact. The response to a request with one range in `Range` has ' +
      'status 206 and the requested part, or 416 if the range is outside the artifact.',
    access: 'read',
    params: artifactParams,
    query: none,
    body: none,
    answer: 'application/octet-stream',
    fileTypes: [...new Set(Object.values(ARTIFACT_TYPES))],
    ranges: true,
    errors: ['sessionNotFound', 'resourceNotFound', 'rangeNotSatisfiable'],
  },
  'sessions.artifacts.delete': {
    method: 'DELETE',
    path: '/sessions/{session_id}/artifacts/{artifact_id}',
    summary: 'Delete an artifact',
    access: 'borrow',
    params: artifactParams,
    query: none,
    body: none,
    answer: Type.Object({}),
    errors: ['sessionNotFound', 'resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
