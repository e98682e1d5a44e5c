// Runs before start, test and the checks, with whatever Node the machine has (20 or newer). It installs and builds
// what a fresh clone lacks, and is quick when nothing is missing. It is plain JavaScript without dependencies,
// because neither the packages nor the project's own Node may be installed yet.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const INSTALL_DEADLINE_MS = 20 * 60_000;
const BUILD_DEADLINE_MS = 5 * 60_000;

const OLDEST_NODE = 20;
/** The oldest version that runs the TypeScript sources without compilation. */
const OLDEST_NODE_FOR_SOURCES = 24;
const NODE_MAJOR = Number(process.versions.node.split('.')[0]);
const OWN_NODE = join(ROOT, 'node_modules/.bin/node');

/** What is built before it runs or is served. Each build goes into a folder of dist named after the hash of its sources. */
const BUILDS = [
  {
    name: 'the server',
    tool: 'rolldown',
    folder: 'dist/server',
    sources: ['src', 'scripts/build-server.mjs', 'package-lock.json'],
    command: ['scripts/build-server.mjs'],
  },
  {
    name: 'the console',
    tool: 'vite build',
    folder: 'dist/console',
    sources: ['src/console', 'src/client', 'src/contract', 'vite.config.ts', 'package-lock.json'],
    command: ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
  },
  {
    name: 'the documentation',
    tool: 'eleventy',
    folder: 'dist/docs',
    sources: [
      ...['docs', 'examples', 'deploy'],
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'src/api',
      'src/contract',
      'src/console/icon.svg',
      'src/console/tokens.css',
      'package-lock.json',
    ],
    command: ['node_modules/@11ty/eleventy/cmd.cjs', '--config=docs/site/eleventy.config.mjs', '--quiet'],
  },
];

class PrepareError extends Error {}

/**
 * Returns the project's own Node when its packages include one for this platform, or else the running Node if it is
 * new enough.
 */
function nodeForSources() {
  if (existsSync(OWN_NODE)) return OWN_NODE;
  return NODE_MAJOR >= OLDEST_NODE_FOR_SOURCES ? process.execPath : null;
}

/**
 * npm writes `node_modules/.package-lock.json` last, after every install script, and lists there what it installed.
 * The result is therefore true only after a complete install of the current lock file. Optional packages may be
 * absent.
 */
function packagesMatchLock() {
  const hidden = join(ROOT, 'node_modules/.package-lock.json');
  if (!existsSync(hidden) || nodeForSources() === null) return false;
  let installed;
  try {
    installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  } catch {
    return false;
  }
  const { packages: wanted } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const present = installed[path];
    if (present === undefined ? !entry.optional : present.version !== entry.version) return false;
  }
  return true;
}

function installPackages() {
  say('Installing the packages (npm ci): one to four minutes, once.');
  const args = ['ci', '--include=dev', '--loglevel=error', '--no-audit', '--no-fund'];
  // Uses the Node that runs npm, when npm started this script: `npm ci` begins by removing the Node in node_modules.
  const { npm_node_execpath: npmNode, npm_execpath: npm } = process.env;
  if (npmNode && npm) run(npmNode, [npm, ...args], INSTALL_DEADLINE_MS, 'npm ci');
  else run('npm', args, INSTALL_DEADLINE_MS, 'npm ci');
  if (nodeForSources() === null) {
    throw new PrepareError(
      `the packages include no Node for ${process.platform}-${process.arch}, or their install scripts were not allowed: ` +
        `install Node ${OLDEST_NODE_FOR_SOURCES} or newer (this is ${process.version})`,
    );
  }
}

/** Returns the SHA-256 hash of the names and contents of all source files of a build, without their tests. */
function hashOf(sources) {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of filesUnder(source)) {
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(ROOT, file)))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

function filesUnder(path) {
  const full = join(ROOT, path);
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full)
    .filter((name) => !/\.test\.tsx?$/.test(name))
    .sort()
    .flatMap((name) => filesUnder(`${path}/${name}`));
}

function build({ name, tool, folder, sources, command: [program, ...args] }) {
  const stamp = join(ROOT, folder, '.sources');
  const hash = hashOf(sources);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  say(`Building ${name} (${tool}): a few seconds, after every change of its sources.`);
  // Under vitest NODE_ENV is `test`, for which Vite would build React's slower development version.
  const env = { ...process.env, NODE_ENV: 'production' };
  run(nodeForSources(), [join(ROOT, program), ...args], BUILD_DEADLINE_MS, tool, env);
  writeFileSync(stamp, hash);
}

/** Runs a command to completion. It shows the command's standard error and hides its standard output. */
function run(command, args, timeoutMs, name, env = process.env) {
  const { error, signal, status } = spawnSync(command, args, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: timeoutMs,
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (error?.code === 'ETIMEDOUT')
    throw new PrepareError(`${name} took longer than ${timeoutMs / 60_000} minutes`);
  if (error) throw new PrepareError(`Cannot run ${name}: ${error.message}`);
  if (status !== 0)
    throw new PrepareError(`${name} failed (${signal ?? `exit ${status}`}); its output is above`);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function prepare() {
  if (NODE_MAJOR < OLDEST_NODE) {
    throw new PrepareError(`Node ${OLDEST_NODE} or newer is required to install; this is ${process.version}`);
  }
  if (!packagesMatchLock()) installPackages();
  for (const what of BUILDS) build(what);
}

try {
  prepare();
} catch (error) {
  if (!(error instanceof PrepareError)) throw error;
  say(`phonebooth: ${error.message}`);
  process.exitCode = 1;
}
