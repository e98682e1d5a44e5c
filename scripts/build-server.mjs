// Bundles the command and the packages that it loads into dist/server, because Node reads a few large files several
// times as fast as two thousand small ones.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Packages that load their own files: native code, static files, the code of a worker. */
export const EXTERNAL = ['better-sqlite3', '@napi-rs/canvas', 'pino'];

/** Bundles the module of each `new Worker(new URL('./module.ts', import.meta.url))` as a separate file. */
const workers = {
  name: 'workers',
  transform(code, id) {
    if (!code.includes('new Worker(')) return null;
    return code.replace(/new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g, (_, path) => {
      const file = this.emitFile({ type: 'chunk', id: resolve(dirname(id), path) });
      return `new URL(import.meta.ROLLUP_FILE_URL_${file})`;
    });
  },
};

/** Returns the folder of the package that a bundled module belongs to, or null for a module of this project. */
function packageOf(id) {
  return (
    /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id.replace(/^\0/, '').replaceAll('\\', '/'))?.[0] ??
    null
  );
}

/** Returns the name, version and licence text of each package whose code is in the bundle. */
function licencesOf(chunks) {
  const folders = new Set(chunks.flatMap(({ moduleIds = [] }) => moduleIds.map(packageOf)));
  return [...folders]
    .filter((folder) => folder !== null && existsSync(join(folder, 'package.json')))
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
      const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
      return `${name} ${version}\n\n${text}\n`;
    });
}

/**
 * Builds the bundle, and returns the licences of the packages in it.
 * @param options.transform how rolldown converts the sources, for an older Node
 */
export async function buildServer(out, { transform } = {}) {
  rmSync(out, { recursive: true, force: true });
  const { output } = await build({
    cwd: ROOT,
    input: { main: 'src/cli/main.ts' },
    platform: 'node',
    external: EXTERNAL,
    plugins: [workers],
    ...(transform && { transform }),
    output: { dir: out, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
  });
  return licencesOf(output);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildServer(join(ROOT, 'dist/server'));
