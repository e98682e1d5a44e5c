import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import { checkRoleSettings, ROLES, type Role } from '../../src/server/roles.ts';
import { SETTINGS } from '../../src/server/settings.ts';
import { DEPLOY, ROOT, readCompose, readEnvironmentFile, serviceEnvironment } from './deployment.ts';

const COMPOSE_ROLES = ['api', 'stream', 'control', 'agent'] as const;
const UNITS = { 'phonebooth-agent': ['agent'], phonebooth: ROLES } as const;
const CREDENTIAL = `host-1.SU${'A'.repeat(56)}`;
const SECRETS = {
  'secrets/control-plane.env': `PHONEBOOTH_DATABASE_URL=postgres://phonebooth:1@postgres/phonebooth\nPHONEBOOTH_API_KEY=${'k'.repeat(40)}\n`,
  'secrets/agent.env': `PHONEBOOTH_HOST_CREDENTIAL=${CREDENTIAL}\n`,
};

const files = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .concat(join(ROOT, 'docs/operating.md'))
  .map((path) => relative(ROOT, path));
const read = (...path: string[]) => readFileSync(join(DEPLOY, ...path), 'utf8');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'phonebooth-settings-'));
  for (const name of ['compose.yaml', 'Dockerfile']) cpSync(join(DEPLOY, name), join(folder, name));
  for (const [name, text] of Object.entries(SECRETS)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Fails as the command itself would on startup. */
function start(environment: Record<string, string>, roles: readonly Role[]): void {
  checkRoleSettings(readConfig({}, environment), roles);
}

test.each(files)('%s names only existing settings', (file) => {
  const named = readFileSync(join(ROOT, file), 'utf8').match(/PHONEBOOTH_[A-Z_]+(?<!_)/g) ?? [];
  expect(named.filter((name) => !(name in SETTINGS))).toEqual([]);
});

test.each(COMPOSE_ROLES)('the compose file passes all required settings to %s and runs it', (role) => {
  expect(readCompose(DEPLOY).services[role]!.command).toEqual([role]);
  start(serviceEnvironment(folder, role), [role]);
});

test('the compose file publishes the ports in the addresses that clients receive', () => {
  const { services } = readCompose(DEPLOY);
  const publishes = (name: string) => services[name]!.ports!.map((port) => /:(\d+):\d+$/.exec(port)![1]);
  const environment = serviceEnvironment(folder, 'api');
  expect(publishes('stream')).toContain(new URL(environment.PHONEBOOTH_STREAM_URL!).port);
  expect(publishes('control')).toContain(new URL(environment.PHONEBOOTH_CONTROL_URL!).port);
});

describe.each(Object.entries(UNITS))('%s.service', (unit, roles) => {
  const text = read('systemd', `${unit}.service`);

  test('passes all required settings to its command', () => {
    const own = [...text.matchAll(/^Environment=(PHONEBOOTH_\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const example = readEnvironmentFile(
      join(DEPLOY, 'systemd', `${unit.replace('phonebooth-', '')}.env.example`),
    );
    const filledIn =
      'PHONEBOOTH_HOST_CREDENTIAL' in example ? { PHONEBOOTH_HOST_CREDENTIAL: CREDENTIAL } : {};
    start({ ...Object.fromEntries(own), ...example, ...filledIn }, roles);
  });

  test('runs an existing command', () => {
    const [, program, script, command] =
      /^ExecStart=\/opt\/phonebooth\/(\S+) \/opt\/phonebooth\/(\S+) (\w+)$/m.exec(text)!;
    expect(existsSync(join(ROOT, program!))).toBe(true);
    const help = execFileSync(process.execPath, [join(ROOT, script!), command!, '--help'], {
      encoding: 'utf8',
    });
    expect(help).toContain(`phonebooth ${command}`);
  });

  test('is accepted by systemd with a low exposure score', () => {
    const copy = join(folder, `${unit}.service`);
    writeFileSync(copy, text.replaceAll('/opt/phonebooth/', `${ROOT}/`));
    const analyze = (...args: string[]) => {
      const { error, status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      return { error, status, complaints: stderr?.split('\n').filter((line) => line.includes(unit)) };
    };
    const taken = { error: undefined, status: 0, complaints: [] };
    // systemd-analyze ignores what it does not understand and only prints a warning.
    expect(analyze('verify', '--man=no', copy)).toEqual(taken);
    // The exposure level ranges from 0 to 100, according to systemd-analyze(1). A unit without any confinement has
    // 96.
    const confined = analyze('security', '--offline=yes', '--threshold=20', '--no-pager', copy);
    expect(confined).toEqual(taken);
  });
});
