// Builds the packages `phonebooth` (the command, the service, the console and the documentation) and
// `phonebooth-client` (the SDK) in dist/packages, ready for `npm pack` and `npm publish`.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildServer, EXTERNAL } from './build-server.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'dist/packages/phonebooth');
const OLDEST_NODE = 22;
const OWN = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** What the bundle loads when it runs: simulated phones read the files of fonts. */
const DEPENDENCIES = [
  ...EXTERNAL,
  ...Object.keys(OWN.dependencies).filter((name) => name.startsWith('@fontsource')),
];

/** The command of the package. Unlike bin/phonebooth.mjs, it runs where npm installed its dependencies. */
const BIN = `#!/usr/bin/env node
import module from 'node:module';

if (Number(process.versions.node.split('.')[0]) >= ${OLDEST_NODE}) {
  module.enableCompileCache();
  const { main } = await import('../dist/server/main.mjs');
  await main(process.argv.slice(2));
} else {
  process.stderr.write(\`phonebooth: it needs Node ${OLDEST_NODE} or newer and this is \${process.version}\\n\`);
  process.exitCode = 1;
}
`;

function manifest() {
  return {
    ...{ name: 'phonebooth', version: OWN.version, description: OWN.description, license: OWN.license },
    // The MCP registry compares it with the name in server.json.
    mcpName: JSON.parse(readFileSync(join(ROOT, 'server.json'), 'utf8')).name,
    keywords: ['android', 'device farm', 'scrcpy', 'testing', 'mcp'],
    type: 'module',
    engines: { node: `>=${OLDEST_NODE}` },
    bin: { phonebooth: 'bin/phonebooth.mjs' },
    exports: { './package.json': './package.json' },
    files: ['bin', 'dist', 'src', 'THIRD-PARTY-LICENSES'],
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, OWN.dependencies[name]])),
  };
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(join(OUT, 'bin'), { recursive: true });
const polyfill = [join(ROOT, 'scripts/async-disposable-stack.mjs'), 'AsyncDisposableStack'];
const licences = await buildServer(join(OUT, 'dist/server'), {
  transform: { target: `node${OLDEST_NODE}`, inject: { AsyncDisposableStack: polyfill } },
});
// The same relative paths as in the repository, from which the bundle reads these files.
for (const path of ['dist/console', 'dist/docs', 'src/console/icon.svg', 'LICENSE'])
  cpSync(join(ROOT, path), join(OUT, path), { recursive: true });
for (const stamp of ['dist/console/.sources', 'dist/docs/.sources'])
  rmSync(join(OUT, stamp), { force: true });
cpSync(join(ROOT, 'scripts/package-readme.md'), join(OUT, 'README.md'));
const ofConsole = readFileSync(join(ROOT, 'dist/console/licenses.md'), 'utf8');
writeFileSync(join(OUT, 'THIRD-PARTY-LICENSES'), `${licences.join('\n---\n\n')}\n---\n\n${ofConsole}`);
writeFileSync(join(OUT, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
writeFileSync(join(OUT, 'bin/phonebooth.mjs'), BIN);
chmodSync(join(OUT, 'bin/phonebooth.mjs'), 0o755);
await import('./build-sdk.mjs');
