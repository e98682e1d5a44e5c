import { access, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

const DOCS_FOLDER = fileURLToPath(new URL('../../dist/docs', import.meta.url));
const LOGO = fileURLToPath(new URL('../../src/console/icon.svg', import.meta.url));
/** The page of the HTTP API reference, from which requests can be tried. */
const REFERENCE = '/docs/api';
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

/** The same for the API reference: Swagger UI sets inline styles and has data URLs for images in its style sheet. */
const REFERENCE_CSP = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The link from the description of the API to the documentation, without its address. */
export const DOCS_LINK = { description: 'Documentation: concepts, sockets, examples' };

/** Hides the field for the URL of another document. */
const REFERENCE_CSS = `
.swagger-ui .topbar .download-url-wrapper { visibility: hidden; }
`;

/** Whether the path of a file that is being sent is in the documentation's folder. */
export const isDocsFile = (path: string): boolean => path.startsWith(DOCS_FOLDER);

/**
 * Adds the documentation, which scripts/prepare.mjs builds from `docs/`, and the API reference below it. Requires
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
    transformSpecification: (document) => ({ ...document, externalDocs: { url: '/docs/', ...DOCS_LINK } }),
  });
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
