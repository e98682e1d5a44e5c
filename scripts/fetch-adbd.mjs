// Debian's adbd, the very daemon of Android's sources, for a test: unpacked into the cache of this folder, never
// installed. It is in the backports of some releases, which few machines have among their sources, so apt is given
// a list and a state of its own; the machine's are only read.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND_DEADLINE_MS = 5 * 60_000;
const VERSION_DEADLINE_MS = 10_000;
const CACHE = fileURLToPath(new URL('../node_modules/.cache', import.meta.url));
/** Where it is unpacked. */
const FOLDER = join(CACHE, 'phonebooth-adbd');

/**
 * How to run it, or null when it is not there: the program, and the folders of its libraries for LD_LIBRARY_PATH.
 * @returns {{ program: string, libraries: string } | null}
 */
export function findAdbd() {
  const program = join(FOLDER, 'usr/lib/android-sdk/platform-tools/adbd');
  if (!existsSync(program)) return null;
  const roots = readdirSync(join(FOLDER, 'usr/lib')).filter((name) => name.includes('-linux-gnu'));
  const libraries = roots
    .flatMap((root) => [join(FOLDER, 'usr/lib', root, 'android'), join(FOLDER, 'usr/lib', root)])
    .join(':');
  const { status } = spawnSync(program, ['--version'], {
    env: { LD_LIBRARY_PATH: libraries },
    timeout: VERSION_DEADLINE_MS,
  });
  return status === 0 ? { program, libraries } : null;
}

/** Why no adbd can be had on this machine, whatever is installed; null where one can. */
export function whyNoAdbd() {
  if (process.platform !== 'linux') return 'adbd runs on Linux only';
  if (process.getuid?.() !== 0) return 'adbd and its network namespace need root';
  if (osRelease('ID') !== 'debian') return 'the package adbd is taken from Debian only';
  return null;
}

/** Downloads and unpacks it. Answers what went wrong; nothing when it is there. */
export function fetchAdbd() {
  const codename = osRelease('VERSION_CODENAME');
  const source = sources().find(({ Suites = '' }) => Suites.split(/\s+/).includes(codename));
  if (!source) return `no source of apt names the suite ${codename}`;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'adbd-'));
  try {
    return download(folder, source, codename) || unpack(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function download(folder, source, codename) {
  const stanza = { ...source, Suites: `${codename} ${codename}-backports` };
  const list = join(folder, 'adbd.sources');
  writeFileSync(
    list,
    `${Object.entries(stanza)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}\n`,
  );
  for (const state of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, state), { recursive: true });
  const options = {
    'Dir::Etc::SourceList': list,
    'Dir::Etc::SourceParts': '-',
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'Acquire::Languages': 'none',
    // apt's own user may not write here; and nothing is installed, so nothing has to wait for dpkg.
    'APT::Sandbox::User': 'root',
    'Debug::NoLocking': 'true',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return (
    run('apt-get', ['-qq', ...flags, 'update']) ||
    // Libraries that are installed and new enough are not among what comes.
    run('apt-get', [
      '-qq',
      ...flags,
      'install',
      '--yes',
      '--download-only',
      '--no-install-recommends',
      '-t',
      `${codename}-backports`,
      'adbd',
    ])
  );
}

function unpack(folder) {
  const archives = join(folder, 'cache/archives');
  const whole = join(folder, 'whole');
  for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
    const complaint = run('dpkg', ['-x', join(archives, name), whole]);
    if (complaint) return complaint;
  }
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(whole, FOLDER);
  return findAdbd() ? '' : `${FOLDER} holds no adbd that runs`;
}

/** Answers what the command complained of; nothing when it succeeded. */
function run(program, args) {
  const { status, stderr, error } = spawnSync(program, args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: COMMAND_DEADLINE_MS,
  });
  if (status === 0) return '';
  return stderr?.trim() || `${program}: ${error?.message ?? `exit ${status}`}`;
}

function osRelease(name) {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return new RegExp(`^${name}="?(.*?)"?$`, 'm').exec(text)?.[1] ?? '';
}

/** The machine's sources of packages, as stanzas of deb822 (sources.list(5)). */
function sources() {
  const parts = '/etc/apt/sources.list.d';
  const files = existsSync(parts)
    ? readdirSync(parts)
        .sort()
        .map((name) => join(parts, name))
    : [];
  return ['/etc/apt/sources.list', ...files].filter(existsSync).flatMap((file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^#.*\n/gm, '');
    if (file.endsWith('.sources')) return text.split(/\n\s*\n/).map(stanzaOf);
    return file.endsWith('.list') ? text.split('\n').flatMap(oneLine) : [];
  });
}

/** A line that begins with a space goes on with the field before it, such as a key that is written out. */
function stanzaOf(text) {
  const fields = [...text.matchAll(/^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)/gm)].map((match) => [
    match[1],
    match[2],
  ]);
  return Object.fromEntries(fields);
}

/** `deb [signed-by=…] URI suite component…` */
function oneLine(line) {
  const [, options = '', URIs, Suites, Components] =
    /^deb\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s+(.+)$/.exec(line) ?? [];
  if (!URIs) return [];
  const signedBy = /\bsigned-by=(\S+)/i.exec(options)?.[1];
  return [{ Types: 'deb', URIs, Suites, Components, ...(signedBy ? { 'Signed-By': signedBy } : {}) }];
}
