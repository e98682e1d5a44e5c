// Downloads Debian's adbd, which is built from Android's sources, for a test. It is unpacked into node_modules/.cache
// and never installed. For some releases it is only in the backports, which few machines have among their apt
// sources. The script therefore gives apt a separate source list and state, and only reads those of the machine.
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
/** The folder that adbd is unpacked into. */
const FOLDER = join(CACHE, 'phonebooth-adbd');

/**
 * Returns how to run adbd, or null when it is not unpacked: the program, and the folders of its libraries for
 * LD_LIBRARY_PATH.
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

/** Returns why adbd cannot run on this machine, whatever is installed; null when it can. */
export function whyNoAdbd() {
  if (process.platform !== 'linux') return 'adbd runs on Linux only';
  if (process.getuid?.() !== 0) return 'adbd and its network namespace need root';
  if (osRelease('ID') !== 'debian') return 'the package adbd is taken from Debian only';
  return null;
}

/** Downloads and unpacks adbd. Returns the error message, or nothing on success. */
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
    // apt's sandbox user may lack permission to write to this folder. Nothing is installed, so dpkg's lock is not
    // needed.
    'APT::Sandbox::User': 'root',
    'Debug::NoLocking': 'true',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return (
    run('apt-get', ['-qq', ...flags, 'update']) ||
    // The download does not include libraries that are installed and recent enough.
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

/** Returns the error output of the command, or nothing when it succeeded. */
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

/** Returns the apt sources of the machine as stanzas in deb822 format (sources.list(5)). */
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

/** A line that begins with a space continues the field before it, for example an inline signing key. */
function stanzaOf(text) {
  const fields = [...text.matchAll(/^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)/gm)].map((match) => [
    match[1],
    match[2],
  ]);
  return Object.fromEntries(fields);
}

/** Parses the one-line format: `deb [signed-by=…] URI suite component…` */
function oneLine(line) {
  const [, options = '', URIs, Suites, Components] =
    /^deb\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s+(.+)$/.exec(line) ?? [];
  if (!URIs) return [];
  const signedBy = /\bsigned-by=(\S+)/i.exec(options)?.[1];
  return [{ Types: 'deb', URIs, Suites, Components, ...(signedBy ? { 'Signed-By': signedBy } : {}) }];
}
