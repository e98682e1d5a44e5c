import type { FastifyInstance, FastifyRequest } from 'fastify';
import { success } from '../../contract/http/envelope.ts';
import { SHARED_RECORDING_PATHS, type SharedRecording } from '../../contract/http/shared-recording.ts';
import { iso } from '../../control-plane/iso.ts';
import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import { rangeHeaders } from '../byte-range.ts';
import type { ApiContext } from '../context.ts';
import { OpenResponses } from '../open-responses.ts';
import { sendFile } from '../send-file.ts';
import { contentOf } from '../sessions/artifacts/artifact-content.ts';
import { toArtifact } from '../sessions/artifacts/artifact-view.ts';
import { isSecure } from '../sign-in/session-cookie.ts';
import { cookieOf, type LinkContext, type OpenLink, openLink } from './open-link.ts';

const DAY_S = 86_400;

type RecordingContext = ApiContext & LinkContext;

/**
 * Adds the routes at which a browser opens a recording through a link. They are outside the versioned API, because they
 * accept the token of a link and no key; they are counted and rate-limited like its operations.
 */
export function addSharedRecordings(app: FastifyInstance, context: RecordingContext): void {
  const { open, content } = SHARED_RECORDING_PATHS;
  const openResponses = new OpenResponses(context.store, context.log);
  app.addHook('onClose', async () => openResponses[Symbol.dispose]());
  app.route({
    method: 'POST',
    url: open,
    exposeHeadRoute: false,
    config: { operationId: 'shared-recordings.open' },
    handler: async (request, reply) => {
      const link = await openLink(context, request, paramOf(request, 'session_id'));
      reply.header('set-cookie', setCookie(request, link));
      return success(await describe(context, link));
    },
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: content,
    config: { operationId: 'shared-recordings.content' },
    handler: async (request, reply) => {
      const { session, link } = await openLink(context, request, paramOf(request, 'session_id'));
      openResponses.add(link.id, reply.raw);
      const artifactId = paramOf(request, 'artifact_id');
      const artifact = await context.store.getArtifact({ artifactId, sessionId: session.id });
      if (!artifact) throw resourceNotFound('artifact', artifactId);
      const range = rangeHeaders(request.headers);
      const wanted = { range, isHead: request.method === 'HEAD', isShared: true };
      return sendFile(reply, await contentOf(context, artifact, wanted));
    },
  });
}

const paramOf = ({ params }: FastifyRequest, name: string) => (params as Record<string, string>)[name]!;

/** The browser keeps the cookie for a day at most; opening the link again renews it. */
function setCookie(request: FastifyRequest, { session, link, token }: OpenLink): string {
  const seconds = Math.min(DAY_S, Math.max(1, Math.floor(link.remainingMs / 1000)));
  return cookieOf(session.id, { isSecure: isSecure(request), seconds }).setHeader(token);
}

async function describe(
  { store }: Pick<ApiContext, 'store'>,
  { session, link }: OpenLink,
): Promise<SharedRecording> {
  const artifacts = (await store.listArtifacts({ sessionId: session.id })) ?? [];
  return {
    session_id: session.id,
    device_name: session.deviceName,
    created_at: iso(session.createdAt),
    is_complete: session.recording?.isFinished ?? false,
    expires_at: iso(link.expiresAt),
    artifacts: artifacts.map((row) => ({
      ...toArtifact(row),
      url: SHARED_RECORDING_PATHS.content
        .replace(':session_id', encodeURIComponent(session.id))
        .replace(':artifact_id', encodeURIComponent(row.id)),
    })),
  };
}
