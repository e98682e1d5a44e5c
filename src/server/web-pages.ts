import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SocketOrigins } from '../access/socket-address.ts';
import { HOST } from '../api/address.ts';
import { BASE_PATH } from '../api/base-path.ts';
import { asyncApiDocument } from '../api/descriptions/asyncapi.ts';
import { success } from '../contract/http/envelope.ts';
import { addDocsPages, DOCS_CSP, DOCS_LINK, FILE_PATH, isDocsFile } from './docs-pages.ts';
import { VERSION } from './version.ts';

const CONSOLE_FOLDER = fileURLToPath(new URL('../../dist/console', import.meta.url));

/**
 * Allows scripts and styles from the same origin only, WebAssembly for browsers without a built-in video decoder, and
 * sockets to this service only: to its stream and control hosts, and to the page's own host, which pages over plain
 * HTTP use.
 * @param host the request's `Host`; not every browser applies 'self' to WebSockets
 */
const consoleCsp = ({ stream, control }: SocketOrigins, host: string | undefined) =>
  [
    "default-src 'self'",
    "script-src 'self' 'wasm-unsafe-eval'",
    ["connect-src 'self'", stream, control, ...ownSockets(host)].join(' '),
    "img-src 'self' data: blob:",
    // The recordings that the page made.
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const ownSockets = (host = '') => (HOST.test(host) ? [`ws://${host}`, `wss://${host}`] : []);

/** The API index at `/` for non-browser clients. */
const apiIndex = (origins: SocketOrigins) => ({
  name: 'Phonebooth',
  version: VERSION,
  api: BASE_PATH,
  docs: '/docs/',
  openapi: '/openapi.json',
  asyncapi: '/asyncapi.json',
  sockets: origins,
});

export interface WebPages {
  origins: () => SocketOrigins;
  /** Builds the OpenAPI document. Called at the first request for it, because it takes a twentieth of the time of a start. */
  openApi: () => object;
}

/**
 * Adds the pages for people (the console at `/`, and the documentation at `/docs/` with the API reference below it)
 * and the documents for programs (`/openapi.json` and `/asyncapi.json`).
 */
export async function addWebPages(app: FastifyInstance, { origins, openApi }: WebPages): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'no-referrer');
    // Responses of the API are private to an account, and some contain keys.
    if (request.url.startsWith(`${BASE_PATH}/`)) reply.header('cache-control', 'no-store');
  });
  const description = (path: string, key: KeyOf, make: (key: string) => unknown) =>
    app.get(path, cached(key, make));
  // The address of the documentation has to be absolute.
  description('/openapi.json', originOf, (origin) => ({
    ...openApi(),
    externalDocs: { url: `${origin}/docs/`, ...DOCS_LINK },
  }));
  description('/asyncapi.json', sameForAll, () => asyncApiDocument(origins()));
  await app.register(staticFiles, {
    root: CONSOLE_FOLDER,
    // Files are looked up for each request, so that the console can be rebuilt while the server runs.
    serve: false,
    // The build creates a compressed copy of each file.
    preCompressed: true,
    setHeaders: (reply, path) => {
      const isHashed = path.includes('/assets/');
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      reply.header(
        'content-security-policy',
        isDocsFile(path) ? DOCS_CSP : consoleCsp(origins(), reply.request.headers.host),
      );
    },
  });
  addDocsPages(app);
  app.get('/*', async (request, reply) => {
    reply.header('vary', 'accept');
    const path = request.url.split('?', 1)[0]!;
    if (path.startsWith(`${BASE_PATH}/`)) return reply.callNotFound();
    if (extname(path) !== '') {
      return FILE_PATH.test(path.slice(1)) ? reply.sendFile(path.slice(1)) : reply.callNotFound();
    }
    if (wantsHtml(request.headers.accept)) return reply.sendFile('index.html');
    return path === '/' ? success(apiIndex(origins())) : reply.callNotFound();
  });
}

type KeyOf = (request: FastifyRequest) => string;

/** Returns the origin of a request, or that of this machine if its `Host` is not valid. */
const originOf: KeyOf = ({ protocol, host }) =>
  HOST.test(host) ? `${protocol}://${host.toLowerCase()}` : `${protocol}://localhost`;

const sameForAll: KeyOf = () => '';

/**
 * Serves a JSON document that is created again when its key changes, with status 304 for a client that already has it.
 */
function cached(keyOf: KeyOf, make: (key: string) => unknown) {
  let made: { key: string; text: string; tag: string } | null = null;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const key = keyOf(request);
    if (made?.key !== key) {
      const text = JSON.stringify(make(key));
      const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
      made = { key, text, tag };
    }
    const { text, tag } = made;
    reply.header('etag', tag).header('cache-control', 'no-cache').type('application/json');
    return matches(request.headers['if-none-match'], tag) ? reply.code(304).send() : reply.send(text);
  };
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
const matches = (header: string | undefined, tag: string) =>
  header?.split(',').some((entry) => ['*', tag].includes(entry.trim().replace(/^W\//, ''))) ?? false;

const wantsHtml = (accept: string | undefined) => accept?.includes('text/html') ?? false;
