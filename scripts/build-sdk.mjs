// Builds the SDK (src/client) as a separate package in dist/packages/phonebooth-client, ready for `npm publish`: one folder
// of modules for browsers, Node 20, Bun and Deno, and their type declarations. It depends on no other package, except
// for recordings.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Another folder can be named, so that two builds do not disturb each other. */
const OUT = resolve(ROOT, process.argv[2] ?? 'dist/packages/phonebooth-client');
const TYPES_DEADLINE_MS = 5 * 60_000;

/** Loaded when a recording starts. It is twice as large as everything else, and most callers record nothing. */
const OPTIONAL = ['mediabunny'];

/**
 * Removes the arguments of the calls of TypeBox, which its stub ignores. They mostly are descriptions for the API
 * reference, and would be a tenth of the package.
 */
const withoutSchemas = {
  name: 'without-schemas',
  transform(code, id) {
    if (!id.startsWith(join(ROOT, 'src/contract/'))) return null;
    const calls = schemaCalls(this.parse(code));
    return calls.reduceRight(
      (rest, { callee, end }) => `${rest.slice(0, callee.end)}()${rest.slice(end)}`,
      code,
    );
  },
};

/** Returns the calls of `Type.…` in the order of the source, without those that are arguments of another one. */
function schemaCalls(node) {
  if (Array.isArray(node)) return node.flatMap(schemaCalls);
  if (node === null || typeof node !== 'object') return [];
  if (node.type === 'CallExpression' && node.callee.object?.name === 'Type') return [node];
  return Object.values(node).flatMap(schemaCalls);
}

/** The bundle excludes the sources of its dependencies. The user of the package installs those from npm. */
function buildModules() {
  return build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    resolve: { alias: { typebox: join(ROOT, 'scripts/typebox-stub.mjs') } },
    plugins: [withoutSchemas],
    build: {
      outDir: OUT,
      emptyOutDir: true,
      target: 'es2022',
      minify: false,
      lib: { entry: 'src/client/index.ts', formats: ['es'] },
      rolldownOptions: {
        external: ['mediabunny'],
        // The schemas of the contract are used by the service to validate. Without them the client is a tenth of the
        // size.
        treeshake: {
          moduleSideEffects: false,
          manualPureFunctions: ['Type', 'durationSchema', 'strict', 'pageSchema', 'timestamp', 'nullable'],
        },
        output: { entryFileNames: 'index.js', chunkFileNames: '[name].js' },
      },
    },
  });
}

function buildTypes() {
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { status, error } = spawnSync(tsc, ['-p', 'tsconfig.sdk.json', '--outDir', join(OUT, 'types')], {
    cwd: ROOT,
    stdio: 'inherit',
    timeout: TYPES_DEADLINE_MS,
  });
  if (status !== 0)
    throw new Error(
      `Cannot generate the type declarations: ${error?.message ?? `tsc exited with ${status}`}`,
    );
}

/** TypeBox is used for its types only, and only for few of them, so the declarations contain these. */
function inlineTypeBox() {
  const types = join(OUT, 'types');
  for (const name of readdirSync(types, { recursive: true }).filter((path) => path.endsWith('.d.ts'))) {
    const file = join(types, name);
    const from = relative(dirname(file), join(types, 'typebox.js')).replace(/^(?!\.)/, './');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(/(["'])typebox\1/g, `'${from}'`));
  }
  cpSync(join(ROOT, 'scripts/typebox.d.ts'), join(types, 'typebox.d.ts'));
}

function writePackage() {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const versions = (names) => Object.fromEntries(names.map((name) => [name, `^${own.dependencies[name]}`]));
  const manifest = {
    name: 'phonebooth-client',
    version: own.version,
    description: 'Borrow phones from a Phonebooth service: screens, input and apps',
    license: own.license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { '.': { types: './types/client/index.d.ts', default: './index.js' } },
    files: ['*.js', 'types'],
    peerDependencies: versions(OPTIONAL),
    peerDependenciesMeta: Object.fromEntries(OPTIONAL.map((name) => [name, { optional: true }])),
  };
  writeFileSync(join(OUT, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [from, to] of [
    ['LICENSE', 'LICENSE'],
    ['src/client/README.md', 'README.md'],
  ]) {
    cpSync(join(ROOT, from), join(OUT, to));
  }
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
await buildModules();
buildTypes();
inlineTypeBox();
writePackage();
