import { access, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

const DOCS_FOLDER = fileURLToPath(new URL('../../dist/docs', import.meta.url));
const LOGO = fileURLToPath(new URL('../console/icon.svg', import.meta.url));
/** The page on which the HTTP API can be read and tried. */
const REFERENCE = '/docs/api';
/** Names of files and folders, none of them hidden and none of them a way up. */
export const FILE_PATH = /^([\w-][\w.-]*\/)*([\w-][\w.-]*)?$/;

/** Everything from here only; the index of the search is fetched. */
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

/** The same for the reference, whose program sets styles in its elements and has small pictures in its style sheet. */
const REFERENCE_CSP = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** There is one document to look at; the field for the address of another one is in the way. */
const REFERENCE_CSS = `
.swagger-ui .topbar .download-url-wrapper { visibility: hidden; }
`;

/** A file of this folder that is being sent. */
export const isDocsFile = (path: string): boolean => path.startsWith(DOCS_FOLDER);

/**
 * Adds the documentation, built from `docs/` by scripts/prepare.mjs, and the API's reference below it. It needs
 * `reply.sendFile`.
 */
export async function addDocsPages(app: FastifyInstance): Promise<void> {
  const logo = await readFile(LOGO);
  await app.register(swaggerUi, {
    routePrefix: REFERENCE,
    staticCSP: REFERENCE_CSP,
    theme: {
      title: 'HTTP API · Phonebooth',
      css: [{ filename: 'phonebooth.css', content: REFERENCE_CSS }],
      favicon: [{ filename: 'icon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: logo }],
    },
    logo: { type: 'image/svg+xml', content: logo },
    uiConfig: { validatorUrl: null },
  });
  const hidden = { schema: { hide: true } };
  app.get('/docs', hidden, (_request, reply) => reply.redirect('/docs/'));
  app.get<{ Params: { '*': string } }>('/docs/*', hidden, async (request, reply) => {
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
