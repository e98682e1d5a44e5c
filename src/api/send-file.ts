import type { FastifyReply } from 'fastify';
import type { FileResponse } from './responses.ts';

/**
 * Nothing in a file may run in the origin of the service: neither policy allows scripts. When a user opens a video in
 * a separate tab, the browser requests it again from a document that it creates, with the cookie of the origin.
 */
const INLINE_POLICY =
  "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin";

/**
 * A client that reads nothing for this long is disconnected, because its download occupies a slot and an open file. A
 * browser whose video is paused requests the rest again when it continues.
 */
const STALL_MS = 5 * 60_000;

/** Sends a file or a part of it. The reply destroys the stream when the client disconnects or stops reading. */
export function sendFile(
  reply: FastifyReply,
  { parts }: FileResponse,
  { stallMs = STALL_MS } = {},
): FastifyReply {
  const { name, size, bytes, type = 'application/octet-stream', isInline = false, etag, part } = parts;
  reply.headers({
    'content-type': type,
    'content-length': part ? part.end - part.start + 1 : size,
    'content-disposition': disposition(name, isInline),
    'content-security-policy': isInline ? INLINE_POLICY : "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    ...(etag !== undefined && { 'accept-ranges': 'bytes', etag }),
    ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${size}` }),
  });
  reply.raw.setTimeout(stallMs, () => reply.raw.destroy());
  return reply.code(part ? 206 : 200).send(bytes);
}

/** RFC 6266 and 8187. The first form of the name is for clients that do not know the second. */
function disposition(name: string, isInline: boolean): string {
  const ascii = name.replaceAll(/[^\w. ()-]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `${isInline ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
