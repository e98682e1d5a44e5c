import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../deploy/deployment.ts';

const SITE = join(ROOT, 'dist/docs');
/** Paths that the API serves beside the built pages. */
const ELSEWHERE = ['/', '/docs/api/', '/openapi.json', '/asyncapi.json'];

const sources = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  ...globSync(['docs/**/*.md', 'examples/**/*.md', 'deploy/**/*.md', 'bench/*.md'], { cwd: ROOT }),
];

test.each(sources)('links between files of the repository resolve: %s', (source) => {
  const text = readFileSync(join(ROOT, source), 'utf8').replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^(https?:|mailto:|\/)/.test(target!)) continue;
    const [path, fragment] = target!.split('#');
    const file = path === '' ? source : posix.join(dirname(source), path!);
    expect(existsSync(join(ROOT, file)), `${target} in ${source}`).toBe(true);
    if (fragment) expect(anchorsOf(file), `${target} in ${source}`).toContain(fragment);
  }
});

test.each(sources)('source files that a page names exist: %s', (source) => {
  const text = readFileSync(join(ROOT, source), 'utf8');
  for (const [, path] of text.matchAll(/`([a-z][\w./-]*\/[\w.-]+\.(?:ts|tsx|mjs))`/g)) {
    const isFile = ['', 'src', 'test', dirname(source)].some((from) => existsSync(join(ROOT, from, path!)));
    expect(isFile, `${path} in ${source}`).toBe(true);
  }
});

/** Derives anchors from headings as Git hosts do. */
function anchorsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

const pages = new Map(
  globSync('**/*.html', { cwd: SITE }).map((file) => [
    `/docs/${file.replaceAll('\\', '/').replace(/(^|\/)index\.html$/, '$1')}`,
    readFileSync(join(SITE, file), 'utf8'),
  ]),
);

test('the site contains the pages of docs/', () => {
  expect([...pages.keys()]).toEqual(
    expect.arrayContaining([
      '/docs/',
      '/docs/getting-started/',
      '/docs/http-api/',
      '/docs/decisions/001-store/',
      '/docs/architecture/',
      '/docs/examples/',
      '/docs/deploy/',
      '/docs/deploy/helm/',
      '/docs/404.html',
    ]),
  );
});

test.each([...pages.keys()])('every link of the site resolves to a page and an anchor: %s', (address) => {
  const html = pages.get(address)!;
  for (const [, attribute, target] of html.matchAll(/\b(href|src|data-index)="([^"]*)"/g)) {
    if (/^https?:/.test(target!)) {
      expect(attribute, `${target} is loaded from another origin`).toBe('href');
      continue;
    }
    const url = new URL(target!, `http://site${address}`);
    const found = pages.has(url.pathname) || ELSEWHERE.includes(url.pathname) || isAsset(url.pathname);
    expect(found, `${target} in ${address}`).toBe(true);
    const page = pages.get(url.pathname);
    if (url.hash && page)
      expect(page, `${target} in ${address}`).toContain(`id="${decodeURI(url.hash.slice(1))}"`);
  }
  expect(html.match(/<link rel="stylesheet" href="(?!\/docs\/)/)).toBeNull();
  expect(
    html.match(/ style=|<style|<script>|\son\w+=/),
    'violates the server’s content security policy',
  ).toBeNull();
});

const isAsset = (path: string) =>
  path.startsWith('/docs/') && existsSync(join(SITE, path.slice('/docs/'.length)));
