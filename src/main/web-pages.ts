import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import staticFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { asyncApiDocument, type SocketOrigins } from '../api/asyncapi.ts';
import { BASE_PATH } from '../api/server.ts';
import { success } from '../contract/envelope.ts';
import { addDocsPages, DOCS_CSP, isDocsFile } from './docs-pages.ts';
import { VERSION } from './version.ts';

const CONSOLE_FOLDER = fileURLToPath(new URL('../../dist/console', import.meta.url));

/**
 * Scripts and styles from here only; WebAssembly for the decoder of browsers without one of their own; sockets to
 * the phones' hosts, which may be others.
 */
const CONSOLE_CSP = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self' ws: wss:",
  "img-src 'self' data: blob:",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** What is at `/` for programs, and for people with a command line: where everything is. */
const SIGNPOST = {
  name: 'Phonebooth',
  version: VERSION,
  api: BASE_PATH,
  docs: '/docs/',
  openapi: '/openapi.json',
  asyncapi: '/asyncapi.json',
};

/**
 * Adds what people look at: the console at `/`, the documentation at `/docs/` with the API's reference below it, and what
 * programs read, `/openapi.json` and `/asyncapi.json`.
 */
export async function addWebPages(app: FastifyInstance, origins: SocketOrigins): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'no-referrer');
    // What the API says is somebody's own, and keys are among it.
    if (request.url.startsWith(`${BASE_PATH}/`)) reply.header('cache-control', 'no-store');
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  app.get('/asyncapi.json', { schema: { hide: true } }, async () => asyncApiDocument(origins));
  await app.register(staticFiles, {
    root: CONSOLE_FOLDER,
    // Files are looked for when they are asked for, so that the console can be built anew under a running server.
    serve: false,
    // The build puts a compressed copy beside each.
    preCompressed: true,
    setHeaders: (reply, path) => {
      const isHashed = path.includes('/assets/');
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      reply.header('content-security-policy', isDocsFile(path) ? DOCS_CSP : CONSOLE_CSP);
    },
  });
  await addDocsPages(app);
  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    reply.header('vary', 'accept');
    const path = request.url.split('?', 1)[0]!;
    if (path.startsWith(`${BASE_PATH}/`)) return reply.callNotFound();
    if (extname(path) !== '') return reply.sendFile(path.slice(1));
    if (wantsHtml(request.headers.accept)) return reply.sendFile('index.html');
    return path === '/' ? success(SIGNPOST) : reply.callNotFound();
  });
}

const wantsHtml = (accept: string | undefined) => accept?.includes('text/html') ?? false;
