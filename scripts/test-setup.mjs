// Runs before the tests and checks the programs that they need besides the packages (PostgreSQL, NATS, Chromium,
// Firefox ESR, ffmpeg, adb, adbd, HAProxy, nginx, Caddy, libfaketime, promtool, Ceph, websockets and Selenium for
// Python). As root on Debian or Ubuntu it installs what is missing; elsewhere it prints what to install. It also installs
// the WebDriver clients and the Appium server of the tests. It lists the tests that cannot run on this machine at all;
// those tests fail.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fetchAdbd, findAdbd, whyNoAdbd } from './fetch-adbd.mjs';
import { installWebDriverClients } from './install-webdriver-clients.mjs';

const APT_DEADLINE_MS = 10 * 60_000;
const APT_ATTEMPTS = 3;
/** One with the package lists of this machine, and one with current ones. */
const OPTIONAL_APT_ATTEMPTS = 2;

const HEADLESS_SHELL = '/usr/lib/chromium/chromium-headless-shell';

/** A tool that has `without` is optional. */
const TOOLS = [
  {
    name: 'the PostgreSQL server (initdb)',
    found: () => isOnPath('initdb') || newestDebianPostgres() !== null,
    aptPackage: 'postgresql',
    otherwise: 'install PostgreSQL 15 or newer, so that initdb is on the PATH',
  },
  {
    name: 'Chromium',
    found: () => chromiumPaths().some(isExecutable) || isOnPath('chromium'),
    aptPackage: 'chromium',
    otherwise:
      'install Chromium and set PHONEBOOTH_CHROMIUM to the path of its executable, or run npx playwright-core install chromium',
  },
  {
    name: 'the headless shell of Chromium',
    found: () => Boolean(process.env.PHONEBOOTH_CHROMIUM) || isExecutable(HEADLESS_SHELL),
    aptPackage: 'chromium-headless-shell',
    without: 'use Chromium instead, which takes more processor time',
  },
  {
    name: 'Firefox ESR',
    found: () => Boolean(process.env.PHONEBOOTH_FIREFOX) || isOnPath('firefox-esr') || isOnPath('firefox'),
    aptPackage: 'firefox-esr',
    otherwise:
      'install Firefox 140 or newer, and set PHONEBOOTH_FIREFOX to the path of its executable if it is not on the PATH',
  },
  {
    name: 'nats-server',
    found: () => isOnPath('nats-server') || isExecutable('/usr/sbin/nats-server'),
    aptPackage: 'nats-server',
    otherwise: 'install nats-server 2.9 or newer, so that it is on the PATH',
  },
  {
    name: 'ffmpeg',
    found: () => isOnPath('ffmpeg'),
    aptPackage: 'ffmpeg',
    otherwise: 'install ffmpeg, so that it is on the PATH',
  },
  {
    name: 'adb',
    found: () => isOnPath('adb'),
    aptPackage: 'adb',
    otherwise: "install Android's platform tools, so that adb is on the PATH",
  },
  {
    name: 'HAProxy',
    found: () => isOnPath('haproxy') || isExecutable('/usr/sbin/haproxy'),
    aptPackage: 'haproxy',
    otherwise: 'install HAProxy 2.4 or newer, so that haproxy is on the PATH',
  },
  {
    name: 'nginx',
    found: () => isOnPath('nginx') || isExecutable('/usr/sbin/nginx'),
    aptPackage: 'nginx',
    otherwise: 'install nginx 1.22 or newer, so that nginx is on the PATH',
  },
  {
    name: 'Caddy',
    found: () => isOnPath('caddy'),
    aptPackage: 'caddy',
    otherwise: 'install Caddy 2.6 or newer, so that caddy is on the PATH',
  },
  {
    name: 'libfaketime',
    found: () => ['', ...readdirSync('/usr/lib')].some(hasFaketime),
    aptPackage: 'faketime',
    otherwise: 'install libfaketime below /usr/lib',
  },
  ...[
    ['ceph-mon', 'ceph-mon'],
    ['ceph-osd', 'ceph-osd'],
    ['radosgw', "Ceph's Object Gateway"],
  ].map(([program, name]) => ({
    name,
    found: () => isOnPath(program),
    aptPackage: program,
    otherwise: `install Ceph 16 or newer, so that ${program} is on the PATH`,
  })),
  {
    name: 'systemd-analyze',
    found: () => isOnPath('systemd-analyze'),
    aptPackage: 'systemd',
    otherwise: 'install systemd, so that systemd-analyze is on the PATH',
  },
  {
    name: 'openssl',
    found: () => isOnPath('openssl'),
    aptPackage: 'openssl',
    otherwise: 'install OpenSSL 3, so that openssl is on the PATH',
  },
  {
    name: 'promtool',
    found: () => isOnPath('promtool'),
    aptPackage: 'prometheus',
    otherwise: 'install Prometheus 2.42 or newer, so that its promtool is on the PATH',
  },
  {
    name: 'Python with websockets (for the examples)',
    found: () => canImport('websockets'),
    aptPackage: 'python3-websockets',
    otherwise: 'install Python 3.9 or newer, and its package websockets',
  },
  {
    name: 'Selenium for Python',
    found: () => canImport('selenium'),
    aptPackage: 'python3-selenium',
    otherwise: 'install Python 3.9 or newer, and its package selenium',
  },
];

/** Needed by the tests that use network namespaces. */
const NAMESPACE_TOOL = {
  name: 'iproute2 (ip)',
  found: () => isOnPath('ip'),
  aptPackage: 'iproute2',
  otherwise: 'install iproute2, so that ip is on the PATH',
};

/** Another Python may precede Debian's on the PATH and lack Debian's Python packages. */
function canImport(name) {
  return ['python3', '/usr/bin/python3'].some(
    (python) =>
      spawnSync(python, ['-c', `import ${name}`], { stdio: 'ignore', timeout: 30_000 }).status === 0,
  );
}

/** Debian installs libraries in a folder named after the machine's architecture. */
function hasFaketime(architecture) {
  return existsSync(join('/usr/lib', architecture, 'faketime/libfaketimeMT.so.1'));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, program)));
}

/** Debian keeps the PostgreSQL server programs off the PATH, in one folder per major version. */
function newestDebianPostgres() {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return null;
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(root, version, 'bin/initdb')).find(isExecutable) ?? null;
}

function chromiumPaths() {
  const named = process.env.PHONEBOOTH_CHROMIUM;
  if (named) return [named];
  const { chromium } = createRequire(import.meta.url)('playwright-core');
  return ['/usr/bin/chromium', chromium.executablePath()];
}

/**
 * Installs one package at a time, so that the failing one can be named. The package lists are updated only when the
 * package is not found in them.
 */
function installWithApt({ aptPackage, without }) {
  say(`Installing ${aptPackage} (apt-get install ${aptPackage}).`);
  const attempts = without ? OPTIONAL_APT_ATTEMPTS : APT_ATTEMPTS;
  let complaint = '';
  for (let attempt = 1; attempt <= attempts; attempt++) {
    complaint = apt('install', '--yes', '--no-install-recommends', aptPackage);
    if (complaint === '') return;
    if (attempt < attempts) apt('update');
  }
  say(complaint);
}

/** Returns the error output of apt-get, or nothing when it succeeded. */
function apt(...args) {
  const { status, stderr, error } = spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: APT_DEADLINE_MS,
  });
  if (status === 0) return '';
  return stderr?.trim() || `apt-get ${args[0]}: ${error?.message ?? `exit ${status}`}`;
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

const noAdbd = whyNoAdbd();
const noNamespaces = process.platform !== 'linux' || process.getuid?.() !== 0;
const tools = noNamespaces ? TOOLS : [...TOOLS, NAMESPACE_TOOL];
const missing = tools.filter((tool) => !tool.found());
const canInstall = process.platform === 'linux' && process.getuid?.() === 0 && isOnPath('apt-get');
if (canInstall) for (const tool of missing) installWithApt(tool);
for (const tool of missing.filter((tool) => !tool.found())) {
  if (tool.without) {
    say(`The tests do not find ${tool.name}, and ${tool.without}.`);
    continue;
  }
  say(
    `The tests need ${tool.name}, which is missing: ${tool.otherwise} (Debian: apt-get install ${tool.aptPackage}).`,
  );
  process.exitCode = 1;
}

if (noNamespaces) say('The tests that cut the network will fail: network namespaces need Linux and root.');
if (noAdbd) say(`The tests against Debian's adbd will fail: ${noAdbd}.`);
else if (!findAdbd()) {
  say('Unpacking adbd (package adbd, from backports) into node_modules/.cache.');
  const complaint = fetchAdbd();
  if (complaint) {
    say(`The tests need Debian's adbd, which could not be installed: ${complaint}`);
    process.exitCode = 1;
  }
}

const complaint = installWebDriverClients();
if (complaint) {
  say(`The tests need the packages in test/webdriver-clients, which could not be installed: ${complaint}`);
  process.exitCode = 1;
}
