import type { Command } from 'commander';
import { print } from './output.ts';
import { addStoreSettings, configFrom } from './settings.ts';

/**
 * `phonebooth tokens rotate`: creates new keys for socket addresses and sign-ins, directly in this data folder or
 * database.
 */
export function addTokensCommand(program: Command): void {
  const tokens = program
    .command('tokens')
    .description('manage the keys that sign socket URLs and encrypt sign-ins');
  addStoreSettings(
    tokens.command('rotate').description('rotate the keys; all but the two most recent keys become invalid'),
  ).action(async (options: object) => {
    const { rotateTokens } = await import('../operator/secret-admin.ts');
    await rotateTokens(configFrom(options));
    print(
      'Within 5 s, new socket URLs and new sign-ins use the new keys. Existing socket URLs stay valid ' +
        'until the next rotation. Rotate again to invalidate them.',
    );
  });
}
