import { access } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

const DOCS_FOLDER = fileURLToPath(new URL('../../dist/docs', import.meta.url));
/** Relative paths of files and folders, without hidden names or parent segments. */
export const FILE_PATH = /^([\w-][\w.-]*\/)*([\w-][\w.-]*)?$/;

/** Allows resources from the same origin only. The search index is fetched. */
export const DOCS_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The link from the description of the API to the documentation, without its address. */
export const DOCS_LINK = { description: 'Documentation: concepts, sockets, examples' };

/** Whether the path of a file that is being sent is in the documentation's folder. */
export const isDocsFile = (path: string): boolean => path.startsWith(DOCS_FOLDER);

/**
 * Adds the documentation with the API reference, which scripts/prepare.mjs builds from `docs/` and from the contract.
 * Requires `reply.sendFile`.
 */
export function addDocsPages(app: FastifyInstance): void {
  app.get('/docs', (_request, reply) => reply.redirect('/docs/'));
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const path = request.params['*'];
    if (!FILE_PATH.test(path)) return reply.callNotFound();
    if (path !== '' && !path.endsWith('/') && extname(path) === '') return reply.redirect(`/docs/${path}/`);
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    if (await isThere(file)) return reply.sendFile(file, DOCS_FOLDER);
    const wantsPage = request.headers.accept?.includes('text/html') ?? false;
    return wantsPage ? reply.code(404).sendFile('404.html', DOCS_FOLDER) : reply.callNotFound();
  });
}

const isThere = (file: string): Promise<boolean> =>
  access(join(DOCS_FOLDER, file)).then(
    () => true,
    () => false,
  );
