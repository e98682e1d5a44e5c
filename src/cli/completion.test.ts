import { spawnSync } from 'node:child_process';
import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { addCompletionCommand, placesOf } from './completion.ts';

function program(): Command {
  const made = new Command('phonebooth').exitOverride();
  made
    .command('devices')
    .description('list phones: all')
    .option('--brand <brand>', 'only this brand')
    .addOption(new Option('--status <status>', 'only this status').choices(['available', 'busy']));
  made.command('webhooks').description('webhooks').command('test <id>').description('send a message');
  const keys = made.command('keys').description('keys');
  keys.command('create').description("make one; it's shown once").option('--name <name>', 'what for');
  keys.command('list').description('all');
  addCompletionCommand(made);
  return made;
}

async function scriptFor(shell: string): Promise<string> {
  const written: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  try {
    await program().parseAsync(['completion', shell], { from: 'user' });
  } finally {
    process.stdout.write = write;
  }
  return written.join('');
}

/**
 * Returns what bash would offer after these words, the last of which is incomplete. One of the values of the service
 * contains a command, which must not be executed.
 */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${await scriptFor('bash')}
phonebooth() { printf '%s\\tdescription\\n' "value-of-$3" 'a $(echo executed >&2)'; }
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_phonebooth; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', timeout: 60_000 });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

test('bash completes commands, subcommands and the options of the current subcommand', async () => {
  expect(await offered('phonebooth', '')).toEqual(['devices', 'webhooks', 'keys', 'completion', '--help']);
  expect(await offered('phonebooth', 'de')).toEqual(['devices']);
  expect(await offered('phonebooth', 'keys', 'c')).toEqual(['create']);
  expect(await offered('phonebooth', 'keys', 'create', '--')).toEqual(['--name', '--help']);
  expect(await offered('phonebooth', 'devices', '--brand', 'google', '--')).toEqual([
    '--brand',
    '--status',
    '--help',
  ]);
});

test('bash completes the values of options and arguments', async () => {
  expect(await offered('phonebooth', 'devices', '--status', '')).toEqual(['available', 'busy']);
  expect(await offered('phonebooth', 'devices', '--brand', '')).toEqual([
    'value-of-brands',
    String.raw`a\ \$\(echo\ executed\ \>\&2\)`,
  ]);
  expect(await offered('phonebooth', 'devices', '--brand', 'va')).toEqual(['value-of-brands']);
  expect(await offered('phonebooth', 'webhooks', 'test', 'va')).toEqual(['value-of-webhooks']);
  expect(await offered('phonebooth', 'webhooks', 'test', '-')).toEqual(['--help']);
});

test('zsh and fish describe each completion', async () => {
  const zsh = await scriptFor('zsh');
  expect(zsh).toContain("'devices:list phones\\: all'");
  expect(zsh).toContain("'create:make one; it'\\''s shown once'");
  const fish = await scriptFor('fish');
  expect(fish).toContain(
    "complete -c phonebooth -n 'not __fish_seen_subcommand_from devices webhooks keys completion' -f -a devices",
  );
  expect(fish).toContain(
    "-n '__fish_seen_subcommand_from keys; and __fish_seen_subcommand_from create' -l name -r",
  );
  expect(fish).toContain("-l brand -x -a '(phonebooth completion --values brands 2>/dev/null)'");
});

test('lists every command path once', () => {
  expect(placesOf(program()).map(({ path }) => path)).toEqual([
    '',
    'devices',
    'webhooks',
    'webhooks test',
    'keys',
    'keys create',
    'keys list',
    'completion',
  ]);
});
