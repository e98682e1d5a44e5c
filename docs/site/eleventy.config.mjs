// Builds the documentation of docs/ into dist/docs, which the API serves at /docs. The sources are plain Markdown that
// can also be read on a Git host. Their metadata (title, section, order) is in their front matter.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { addressOf, repositoryPath } from './addresses.mjs';
import { furnish, headingsOf } from './markdown.mjs';
import { inOrder, neighbours, sectionsOf } from './navigation.mjs';
import { referencePages } from './reference.mjs';
import { searchIndex } from './search-index.mjs';

const OUTPUT = 'dist/docs';
const PREFIX = '/docs/';

/** Pages outside docs/, at the paths where readers of a repository expect them. */
const FROM_ELSEWHERE = {
  'ARCHITECTURE.md': { title: 'Architecture', section: 'Background', order: 2 },
  'CHANGELOG.md': { title: 'Changelog', section: 'Background', order: 3 },
  'examples/README.md': {
    title: 'Examples',
    section: 'Use',
    order: 8,
    files: [
      ...['curl.sh', 'typescript.ts', 'python/stream_to_picture.py', 'adb.sh', 'agent-mcp.ts'],
      'webhook-receiver.ts',
    ],
  },
  'deploy/README.md': {
    title: 'Compose',
    section: 'Deploy',
    order: 1,
    files: ['compose.yaml', 'Dockerfile', 'nats/nats-server.conf'],
  },
  'deploy/systemd/README.md': {
    title: 'systemd',
    section: 'Deploy',
    order: 2,
    files: ['phonebooth-agent.service', 'agent.env.example', 'phonebooth.service', 'phonebooth.env.example'],
  },
  'deploy/helm/phonebooth/README.md': {
    title: 'Kubernetes',
    section: 'Deploy',
    order: 3,
    files: ['values.yaml'],
  },
  'deploy/proxy/README.md': {
    title: 'Proxies',
    section: 'Deploy',
    order: 4,
    files: ['nginx.conf', 'haproxy.cfg', 'Caddyfile'],
  },
};

const NOT_FOUND = `# Page not found

This page does not exist. The menu lists every page, and the search covers all of them.`;

const FONT = 'node_modules/@fontsource/inter/files/inter-latin';
const FONTS = ['400-normal', '400-italic', '600-normal'];
const COPIES = {
  'docs/images': 'images',
  'docs/site/assets': 'assets',
  'src/console/tokens.css': 'assets/tokens.css',
  'src/console/icon.svg': 'assets/icon.svg',
  ...Object.fromEntries(FONTS.map((name) => [`${FONT}-${name}.woff2`, `assets/inter-${name}.woff2`])),
};

export default function configure(eleventy) {
  eleventy.on('eleventy.before', () => rmSync(OUTPUT, { recursive: true, force: true }));
  eleventy.on('eleventy.after', ({ results }) => {
    writeFileSync(`${OUTPUT}/search.json`, JSON.stringify(searchIndex(results)));
  });
  eleventy.setQuietMode(true);
  eleventy.setUseGitIgnore(false);
  eleventy.addPassthroughCopy(COPIES);
  eleventy.amendLibrary('md', (library) => furnish(library, PREFIX));
  eleventy.addTemplate('404.md', NOT_FOUND, {
    title: 'Page not found',
    permalink: '404.html',
    isApart: true,
  });
  for (const [source, data] of Object.entries(FROM_ELSEWHERE)) {
    const { files = [], ...metadata } = data;
    eleventy.addTemplate(source, withFiles(source, files), { ...metadata, source });
  }
  for (const { path, title, markdown } of referencePages()) {
    const permalink = `${path}index.html`;
    eleventy.addTemplate(`reference/${path}page.md`, markdown, { title, permalink, isApart: true });
  }
  describePages(eleventy);
  eleventy.addCollection('reading', (api) => inOrder(api.getAll().filter(({ data }) => !data.isApart)));
  eleventy.addFilter('sections', sectionsOf);
  eleventy.addFilter('neighbours', neighbours);
  eleventy.addFilter('headings', headingsOf);
  return {
    dir: { input: 'docs', output: OUTPUT, includes: 'site' },
    templateFormats: ['md'],
    markdownTemplateEngine: false,
  };
}

/** Appends the files that a page is about, because readers of the site do not have the repository. */
function withFiles(source, files) {
  const folder = dirname(source);
  const text = (name) => readFileSync(join(folder, name), 'utf8').trimEnd();
  const parts = files.map(
    (name) => `## ${name}\n\n\`\`\`\`${extname(name).slice(1)}\n${text(name)}\n\`\`\`\``,
  );
  return [readFileSync(source, 'utf8'), ...parts].join('\n\n');
}

/** Metadata that pages do not declare. */
function describePages(eleventy) {
  const isDecision = ({ page }) => page.inputPath.includes('/decisions/');
  eleventy.addGlobalData('layout', 'page.njk');
  eleventy.addGlobalData('prefix', PREFIX);
  eleventy.addGlobalData('permalink', () => (data) => `${addressOf(repositoryPath(data))}index.html`);
  // These have separate names, because computed data cannot read the data that it replaces.
  eleventy.addGlobalData('eleventyComputed', {
    address: (data) => `${PREFIX}${data.page.url.slice(1)}`,
    name: (data) => data.title ?? firstHeading(data.page.inputPath),
    part: (data) => data.section ?? (isDecision(data) ? 'Decisions' : 'More'),
    place: (data) => data.order ?? (isDecision(data) ? Number.parseInt(data.page.fileSlug, 10) : 1000),
  });
}

function firstHeading(file) {
  const [, heading] = /^# (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  if (heading === undefined) throw new Error(`${file} has neither a title in its front matter nor a heading`);
  return heading.replaceAll('`', '');
}
