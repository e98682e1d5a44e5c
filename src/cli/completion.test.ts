import { spawnSync } from 'node:child_process';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addCompletionCommand, placesOf } from './completion.ts';

function program(): Command {
  const made = new Command('phonebooth').exitOverride();
  made.command('devices').description('list phones: all').option('--brand <brand>', 'of whom');
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

/** Returns what bash would offer after these words, the last of which is incomplete. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${await scriptFor('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_phonebooth; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', timeout: 10_000 });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

test('bash completes commands, subcommands and the options of the current subcommand', async () => {
  expect(await offered('phonebooth', '')).toEqual(['devices', 'keys', 'completion', '--help']);
  expect(await offered('phonebooth', 'de')).toEqual(['devices']);
  expect(await offered('phonebooth', 'keys', 'c')).toEqual(['create']);
  expect(await offered('phonebooth', 'keys', 'create', '--')).toEqual(['--name', '--help']);
  expect(await offered('phonebooth', 'devices', '--brand', 'google', '--')).toEqual(['--brand', '--help']);
});

test('zsh and fish describe each completion', async () => {
  const zsh = await scriptFor('zsh');
  expect(zsh).toContain("'devices:list phones\\: all'");
  expect(zsh).toContain("'create:make one; it'\\''s shown once'");
  const fish = await scriptFor('fish');
  expect(fish).toContain(
    "complete -c phonebooth -n 'not __fish_seen_subcommand_from devices keys completion' -f -a devices",
  );
  expect(fish).toContain(
    "-n '__fish_seen_subcommand_from keys; and __fish_seen_subcommand_from create' -l name",
  );
});

test('lists every command path once', () => {
  expect(placesOf(program()).map(({ path }) => path)).toEqual([
    '',
    'devices',
    'keys',
    'keys create',
    'keys list',
    'completion',
  ]);
});
