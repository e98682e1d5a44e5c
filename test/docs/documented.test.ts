import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { buildProgram } from '../../src/cli/main.ts';
import { afterClose } from '../../src/client/reconnect.ts';
import { WEBHOOK_MESSAGES } from '../../src/contract/events/webhook.ts';
import { DeviceFilters } from '../../src/contract/http/device.ts';
import { ERRORS } from '../../src/contract/http/errors.ts';
import { ROLES } from '../../src/contract/http/key.ts';
import { operations } from '../../src/contract/http/operations.ts';
import { END_REASONS, SESSION_STATUSES } from '../../src/contract/http/session.ts';
import { CLOSE } from '../../src/contract/sockets/close-codes.ts';
import { CONTROL_METHODS } from '../../src/contract/sockets/control-methods.ts';
import { CONTROL_NOTIFICATIONS } from '../../src/contract/sockets/control-notifications.ts';
import { RPC_ERRORS } from '../../src/contract/sockets/rpc-errors.ts';
import { decodePacket } from '../../src/contract/sockets/stream-packets.ts';
import { SWITCHES } from '../../src/drivers/android/permissions.ts';
import { MAKERS } from '../../src/drivers/android/usb-phones.ts';
import { FileFolder } from '../../src/mcp/file-folder.ts';
import { TOOLS } from '../../src/mcp/phone-server.ts';
import { fileTools } from '../../src/mcp/tools/files.ts';
import { RUN_VARIABLES } from '../../src/server/environment.ts';
import { isSecret, SETTINGS, type SettingName } from '../../src/server/settings.ts';
import { ROOT } from '../deploy/deployment.ts';
import { namesIn, pageOf, rowsOf, sectionOf } from './markdown.ts';

const sorted = (values: Iterable<unknown>) => [...values].map(String).sort();

describe('docs/sockets.md', () => {
  const page = pageOf('sockets.md');

  test('documents every method with its parameters, and no other', () => {
    const text = sectionOf(page, 'Methods');
    expect(sorted(namesIn(text))).toEqual(sorted(Object.keys(CONTROL_METHODS)));
    for (const [name, parameters] of rowsOf(text)) {
      const { params } = CONTROL_METHODS[name!.replaceAll('`', '') as keyof typeof CONTROL_METHODS];
      const { properties, required = [] } = params as { properties?: object; required?: string[] };
      for (const field of Object.keys(properties ?? {})) {
        expect(parameters, name).toContain(required.includes(field) ? `\`${field}\`` : `\`${field}?\``);
      }
    }
  });

  test('documents every notification with its parameters, and no other', () => {
    const text = sectionOf(page, 'Notifications');
    expect(sorted(namesIn(text))).toEqual(sorted(Object.keys(CONTROL_NOTIFICATIONS)));
    for (const [name, cells] of rowsOf(text)) {
      const { params } =
        CONTROL_NOTIFICATIONS[name!.replaceAll('`', '') as keyof typeof CONTROL_NOTIFICATIONS];
      const { properties } = params as { properties?: object };
      for (const field of Object.keys(properties!))
        expect(cells, name).toMatch(new RegExp(`\`${field}\\??\``));
    }
  });

  test('documents every error code, and no other', () => {
    expect(sorted(namesIn(sectionOf(page, 'Errors')))).toEqual(sorted(Object.values(RPC_ERRORS)));
  });

  test('documents every close code, and agrees with the SDK on whether to reconnect', () => {
    const rows = rowsOf(sectionOf(page, 'Close codes'));
    expect(sorted(rows.map(([code]) => code))).toEqual(sorted(Object.values(CLOSE)));
    for (const [code, , reconnects] of rows) {
      expect(reconnects!.startsWith('yes'), code).toBe(afterClose(Number(code)) === 'reconnect');
    }
  });

  test('contains an example that is a valid stream', () => {
    const [, block] = /```\n(68 32 36 34 [^`]*)```/.exec(page)!;
    const [codec, ...packets] = block!.trim().split('\n').map(bytesOf);
    expect([...codec!]).toEqual([0x68, 0x32, 0x36, 0x34]);
    const [session, config, keyframe] = packets.map(whole).map(decodePacket);
    expect(session).toEqual({ type: 'session', width: 540, height: 1212 });
    expect(config).toMatchObject({ type: 'config', pts: 0 });
    expect(keyframe).toMatchObject({ type: 'keyframe', pts: 1_000_000 });
  });
});

/** The bytes at the start of a line, before their description. */
const bytesOf = (line: string) =>
  Buffer.from(/^(?:[\da-f]{2} +)+(?:[\da-f]{2}(?= |$))?/.exec(line)![0].replaceAll(' ', ''), 'hex');

/** Pads a truncated example to the length that its header states. */
function whole(bytes: Buffer): Uint8Array {
  if (bytes[0]! & 0x80) return bytes;
  return Buffer.concat([bytes, Buffer.alloc(12 + bytes.readUInt32BE(8) - bytes.length)]);
}

describe('docs/api.md', () => {
  const page = pageOf('api.md');

  test('documents every error code with its HTTP status, and no other', () => {
    const documented = rowsOf(sectionOf(page, 'Errors')).map(([code, status]) => `${code} ${status}`);
    expect(sorted(documented)).toEqual(
      sorted(Object.values(ERRORS).map(({ code, status }) => `${code} ${status}`)),
    );
  });

  test('names every filter of the device list', () => {
    const rows = rowsOf(sectionOf(page, 'Routes'));
    const [, meaning] = rows.find(([route]) => route === '`GET /devices`')!;
    const named = [...meaning!.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(sorted(named)).toEqual(sorted(Object.keys(DeviceFilters)));
  });

  test('documents every route, and no other', () => {
    const routes = Object.values(operations({ maxDurationMinutes: 480 }));
    expect(sorted(namesIn(sectionOf(page, 'Routes')))).toEqual(
      sorted(routes.map(({ method, path }) => `${method} ${path}`)),
    );
  });
});

describe('docs/concepts.md', () => {
  const page = pageOf('concepts.md');

  test.each([
    ['Session', SESSION_STATUSES],
    ['How a session ends', END_REASONS],
    ['Account, key and role', ROLES],
  ])('“%s” lists every value of the contract', (heading, values) => {
    expect(namesIn(sectionOf(page, heading))).toEqual(expect.arrayContaining([...values]));
  });
});

describe('docs/cli.md', () => {
  const page = pageOf('cli.md');

  test('lists the exit codes as the help does', () => {
    const documented = rowsOf(sectionOf(page, 'Exit codes')).map(([code, when]) => ({
      code: Number(code),
      when,
    }));
    expect(documented).toEqual(EXIT_CODES);
  });

  test('documents the environment of the command of `run`', () => {
    const rows = rowsOf(sectionOf(page, 'The environment of a command'));
    expect(rows.map(([name, content]) => [name!.replaceAll('`', ''), content])).toEqual(
      Object.entries(RUN_VARIABLES),
    );
  });

  test('documents every command and option, and no other command', () => {
    const commands = leavesOf(buildProgram());
    const tables = [
      'Borrowing',
      'Using a borrowed phone',
      'Webhooks and AI agents',
      'Serving',
      'Keys, accounts and hosts',
    ];
    const documented = tables.flatMap((heading) => namesIn(sectionOf(page, heading)));
    expect(sorted(documented)).toEqual(sorted(commands.keys()));
    const ofSettings = Object.keys(SETTINGS).map(flagOf);
    for (const [name, { options }] of commands) {
      for (const { long } of options) {
        if (!ofSettings.includes(long!)) expect(page, `${long} of ${name}`).toContain(long!);
      }
    }
  });
});

test('the help of each command names only commands that exist', () => {
  const program = buildProgram();
  const leaves = leavesOf(program);
  const paths = new Set([...allOf(program)].map(pathOf));
  const help = [...allOf(program)].map(helpOf).join('\n');
  const named = [...help.matchAll(/\bphonebooth ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g)];
  const unknown = named.filter(
    ([, first, second]) =>
      !leaves.has(first!) && !paths.has(second === undefined ? first! : `${first} ${second}`),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(unknown.map(([words]) => words)).toEqual([]);
});

/** Returns a command and all commands below it. */
function* allOf(command: Command): Generator<Command> {
  yield command;
  for (const child of command.commands) yield* allOf(child);
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : '';

/** Returns everything that `--help` prints, including the text after the options. */
function helpOf(command: Command): string {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => written.push(text), getOutHelpWidth: () => 1_000 });
  command.outputHelp();
  return written.join('');
}

const flagOf = (setting: string) =>
  `--${setting.replace('PHONEBOOTH_', '').replaceAll('_', '-').toLowerCase()}`;

/** Returns all commands without subcommands, by their full names. */
function leavesOf(command: Command, names: string[] = []): Map<string, Command> {
  if (command.commands.length === 0) return new Map([[names.join(' '), command]]);
  return new Map(command.commands.flatMap((child) => [...leavesOf(child, [...names, child.name()])]));
}

test('docs/mcp.md documents every tool with its arguments, and no other', () => {
  const rows = rowsOf(sectionOf(pageOf('mcp.md'), 'Tools'));
  const tools = [...TOOLS, ...fileTools(new FileFolder('.'))];
  const documented = rows.map(([names, args]) => [names!.replaceAll('`', '').split(', '), args!] as const);
  expect(sorted(documented.flatMap(([names]) => names))).toEqual(sorted(tools.map(({ name }) => name)));
  for (const { name, input } of tools) {
    const [, args] = documented.find(([names]) => names.includes(name))!;
    const known = Object.keys(input.properties).filter((field) => field !== 'phone');
    const named = args.match(/(?<=`)\w+(?=`)/g) ?? [];
    expect(sorted(new Set(named)), name).toEqual(sorted(known));
  }
});

describe('docs/settings.md', () => {
  const page = pageOf('settings.md');
  const own = page.slice(0, page.indexOf('## The commands that use phones'));

  test('documents every setting, and no other', () => {
    expect(sorted(namesIn(own))).toEqual(sorted(Object.keys(SETTINGS)));
  });

  test('marks the secrets, and nothing else, as secret', () => {
    const secrets = rowsOf(own).flatMap(([name, , meaning]) =>
      meaning!.startsWith('secret; ') ? [name!.replaceAll('`', '')] : [],
    );
    const declared = Object.keys(SETTINGS).filter((name) => isSecret(name as SettingName));
    expect(sorted(secrets)).toEqual(sorted(declared));
  });

  test('states the numeric defaults', () => {
    const defaults = new Map(rowsOf(own).map(([name, value]) => [name!.replaceAll('`', ''), value!]));
    for (const [name, { help }] of Object.entries(SETTINGS)) {
      const [, number] = /\(default (\d+)[):]/.exec(help) ?? [];
      if (number !== undefined) expect(defaults.get(name), name).toMatch(new RegExp(`^${number}\\b`));
    }
  });
});

test('docs/webhooks.md documents every message, and no other', () => {
  expect(sorted(namesIn(sectionOf(pageOf('webhooks.md'), 'Messages')))).toEqual(sorted(WEBHOOK_MESSAGES));
});

describe('docs/android.md', () => {
  const page = sectionOf(pageOf('android.md'), 'By maker');
  const sections = new Map(
    [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => [heading!, sectionOf(page, heading!)]),
  );
  const sectionsOf = (maker: string) =>
    [...sections].filter(([heading]) => heading.toLowerCase().includes(maker)).map(([, text]) => text);

  test('states for each maker what to set once, what is detected and what is not', () => {
    for (const [maker, text] of sections)
      expect(text.match(/^- \*\*[^*]+\*\*/gm), maker).toEqual([
        '- **Set once:**',
        '- **Detected:**',
        '- **Not detected:**',
      ]);
  });

  test('has a section for each maker whose phones are recognized', () => {
    const makers = [
      ...Object.values(MAKERS).flatMap(([name]) => name.split(/, | or /)),
      ...['Xiaomi', 'Redmi', 'POCO', 'OPPO', 'realme', 'OnePlus', 'vivo', 'iQOO'],
    ];
    for (const maker of makers) expect(sectionsOf(maker.toLowerCase()), maker).toHaveLength(1);
  });

  test('names each switch that a problem names, in the section of the maker', () => {
    for (const [[brand], advice] of SWITCHES) {
      const [section] = sectionsOf(brand!);
      for (const [, name] of advice.matchAll(/"([^"]+)"/g)) expect(section, brand).toContain(`*${name}*`);
    }
  });
});

describe('docs/troubleshooting.md', () => {
  const page = pageOf('troubleshooting.md');
  // Long messages are concatenated from several literals in the sources.
  const sources = globSync(['src/**/*.ts', 'bin/*.mjs'], { cwd: ROOT, exclude: ['**/*.test.ts'] })
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n')
    .replaceAll(/['"`]\s*\+\s*['"`]/g, '');

  test.each([
    'It does not start',
    'A client is refused',
    'A phone is missing',
    'A recording is missing or ends early',
  ])('“%s” quotes messages that the program prints', (heading) => {
    const cells = rowsOf(sectionOf(page, heading)).flatMap(([first]) =>
      [...first!.matchAll(/`([^`]+)`/g)].map(([, words]) => words!),
    );
    expect(cells.length).toBeGreaterThan(5);
    for (const words of cells) {
      // An ellipsis stands for a variable part. The name of a setting precedes the message itself.
      for (const part of words.split(/…|: /)) {
        expect(sources.includes(part.trim()), words).toBe(true);
      }
    }
  });
});
