import type { Command } from 'commander';
import { print } from './output.ts';
import { addSettings, configFrom } from './settings.ts';

/** `phonebooth tokens rotate`: another key for the addresses of sockets, on this data folder or database. */
export function addTokensCommand(program: Command): void {
  const tokens = program.command('tokens').description('the tokens in the addresses of sockets');
  addSettings(
    tokens
      .command('rotate')
      .description('sign them with a new key; twice in a row ends all that were handed out'),
  ).action(async (options: object) => {
    const { rotateSocketTokens } = await import('../main/secret-admin.ts');
    await rotateSocketTokens(configFrom(options));
    print(
      'New addresses are signed with a new key within 5 s. Those handed out before open sockets until the next rotation: rotate again to end them.',
    );
  });
}
