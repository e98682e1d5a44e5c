import type { Command } from 'commander';
import { print } from './output.ts';
import { addSettings, configFrom } from './settings.ts';

/** `phonebooth tokens rotate`: other keys for the addresses of sockets and for sign-ins, on this data folder or database. */
export function addTokensCommand(program: Command): void {
  const tokens = program
    .command('tokens')
    .description('the tokens in the addresses of sockets, and of sign-ins');
  addSettings(
    tokens
      .command('rotate')
      .description('make them with new keys; twice in a row ends all that were handed out'),
  ).action(async (options: object) => {
    const { rotateTokens } = await import('../main/secret-admin.ts');
    await rotateTokens(configFrom(options));
    print(
      'New addresses are signed with a new key within 5 s, and sign-ins that begin now are sealed with one. Addresses handed out before open sockets until the next rotation: rotate again to end them.',
    );
  });
}
