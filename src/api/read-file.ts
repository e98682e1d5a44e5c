import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { APP_MEDIA_TYPES } from '../contract/http/app.ts';
import { ApiError, invalidField } from '../contract/http/errors.ts';
import { bodyCutShort } from './errors.ts';
import type { UploadedFile } from './implement.ts';

/** Makes the routes of this scope accept a file as their body. They read it as a stream. */
export async function takeFiles(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(multipart);
  scope.addContentTypeParser([...APP_MEDIA_TYPES], (_request, body, done) => done(null, body));
  scope.addContentTypeParser('*', (_request, _body, done) => {
    const types = ['multipart/form-data', ...APP_MEDIA_TYPES].join(', ');
    done(new ApiError('unsupportedMediaType', `header.content-type must be one of ${types}`));
  });
}

/**
 * The file in a request to such a route, as a stream: the whole body, or the only file of a form. Reading it throws
 * an ApiError 40000 when there is no file, the body is truncated, or the form contains anything else.
 */
export function fileOf(request: FastifyRequest): UploadedFile {
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  return {
    bytes: untilClosed(request.raw, readFile(request)),
    announcedBytes: Number.isNaN(announced) ? null : announced,
  };
}

/**
 * Ends with an error as soon as the connection closes before the whole body has arrived. The form parser alone can wait
 * forever for a request that closes at an unfavorable moment.
 */
export async function* untilClosed(
  raw: Pick<IncomingMessage, 'closed' | 'readableEnded' | 'once' | 'off'>,
  chunks: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let reject = () => {};
  const onClose = () => reject();
  raw.once('close', onClose);
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, fail) => {
        reject = () => {
          if (!raw.readableEnded) fail(bodyCutShort());
        };
        if (raw.closed) reject();
        chunks.next().then(resolve, fail);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    raw.off('close', onClose);
    // Not awaited: a parser that waits forever does not return either.
    void chunks.return(undefined).catch(() => {});
  }
}

async function* readFile(request: FastifyRequest): AsyncGenerator<Uint8Array> {
  if (request.isMultipart?.()) yield* fileOfForm(request);
  else if (request.body instanceof Readable) yield* wholeOf(request.body);
  else throw invalidField('body', 'must be the file, or a form with the file');
}

async function* fileOfForm(request: FastifyRequest): AsyncGenerator<Uint8Array> {
  // The reader limits the size of the file. The other limits end the form as soon as a second file or a field
  // arrives.
  const limits = { fileSize: Number.POSITIVE_INFINITY, files: 1, fields: 1, parts: 2, fieldSize: 1024 };
  let found = false;
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type !== 'file') throw unknownField(part.fieldname);
      found = true;
      yield* part.file;
    }
  } catch (error) {
    throw error instanceof ApiError ? error : badForm(error);
  }
  if (!found) throw invalidField('body.file', 'is required: send the file as a file of the form');
}

async function* wholeOf(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    // When the reader stops early, the response still has to be sent on the same connection.
    yield* body.iterator({ destroyOnReturn: false });
  } catch {
    throw bodyCutShort();
  }
}

const unknownField = (name: string) =>
  invalidField(
    `body.${name.slice(0, 64)}`,
    'is not allowed; the form must contain one file and nothing else',
  );

function badForm(error: unknown): ApiError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^FST_(FILES|PARTS|FIELDS)_LIMIT$/.test(code)) {
    return invalidField('body', 'must be a form with one file and nothing else');
  }
  if (code === 'FST_MP_PREMATURE_CLOSE' || code === 'ECONNRESET') return bodyCutShort();
  return invalidField('body', 'is not a complete multipart/form-data form');
}
