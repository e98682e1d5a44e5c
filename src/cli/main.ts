import { setFlagsFromString } from 'node:v8';
import { Command, CommanderError, InvalidArgumentError, type Option } from 'commander';
import { ConfigError } from '../server/config.ts';
import { ROLES, type Role } from '../server/roles.ts';
import { VERSION } from '../server/version.ts';
import { addAccountsCommand } from './accounts.ts';
import { addAdbCommand } from './adb/adb.ts';
import { withAdvice } from './advice.ts';
import { addAppCommands } from './apps.ts';
import { addArtifactsCommand } from './artifacts.ts';
import { addBackupCommands } from './backup.ts';
import { addBorrowCommands } from './borrow.ts';
import { addCompletionCommand } from './completion.ts';
import { addConditionsCommand } from './conditions.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEventsCommand } from './events.ts';
import { type ExitCode, exitCodeOf, exitCodesHelp } from './exit-codes.ts';
import { addFilesCommand } from './files.ts';
import { addGroupsCommand } from './groups.ts';
import { addHostsCommand } from './hosts.ts';
import { addKeysCommand } from './keys.ts';
import { addMcpCommand } from './mcp.ts';
import { addPhoneCommands } from './phone.ts';
import { addRunCommand } from './run/run.ts';
import { addSessionCommands } from './sessions.ts';
import { addSettings, configFrom } from './settings.ts';
import { addTokensCommand } from './tokens.ts';
import { addUsersCommand } from './users.ts';
import { addWatchLinksCommand } from './watch-links.ts';
import { addWebhooksCommand } from './webhooks.ts';

const EXAMPLES = `
Examples:
  phonebooth serve                                    start the service, with four simulated phones
  phonebooth devices --brand google                   list the Google phones
  phonebooth connect && phonebooth tap 0.5 0.5        borrow a phone and tap its screen
  phonebooth run --minutes 10 --wait 300 -- npm test  run tests on a borrowed phone, for CI
`;

/** The commands that run until they are stopped: name, description and roles. */
const SERVICES: [string, string, readonly Role[]][] = [
  ['serve', 'run all roles in this process', ROLES],
  ['api', 'run the HTTP API and the console as one process of a fleet', ['api']],
  ['stream', 'run a stream gateway as one process of a fleet', ['stream']],
  ['control', 'run a control gateway as one process of a fleet', ['control']],
  ['agent', 'run the phones of this machine as one host of a fleet', ['agent']],
];

/** Returns the whole command definition, without running it. */
export function buildProgram(): Command {
  const program = new Command('phonebooth')
    .description('A self-hosted cloud of real phones, borrowed by the minute over an HTTP API.')
    .version(VERSION)
    .showHelpAfterError('(run it with --help for usage)')
    // The library separates the reason, which begins with `must`, by a full stop.
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/ is invalid( for argument '[^']+')?\. must/, ' is invalid$1: it must')),
    })
    .exitOverride()
    .hook('preAction', (_program, command) => compileInMainThread(command.name()));
  for (const [name, description, roles] of SERVICES) addServing(program, name, description, roles);
  addBorrowCommands(program);
  addRunCommand(program);
  addSessionCommands(program);
  addPhoneCommands(program);
  addConditionsCommand(program);
  addAppCommands(program);
  addFilesCommand(program);
  addArtifactsCommand(program);
  addEventsCommand(program);
  addMcpCommand(program);
  addAdbCommand(program);
  addKeysCommand(program);
  addAccountsCommand(program);
  addUsersCommand(program);
  addGroupsCommand(program);
  addHostsCommand(program);
  addWatchLinksCommand(program);
  addWebhooksCommand(program);
  addBackupCommands(program);
  addTokensCommand(program);
  addDoctorCommand(program);
  addCompletionCommand(program);
  program.addHelpText('after', `${EXAMPLES}${exitCodesHelp()}`);
  ownOptionsFirst(program);
  return program;
}

/** Lists the options of each command before those that many commands share, which are under a separate heading. */
function ownOptionsFirst(command: Command): void {
  const shared = ({ helpGroupHeading: heading }: Option) => (heading === undefined ? 0 : 1);
  (command.options as Option[]).sort((a, b) => shared(a) - shared(b));
  for (const child of command.commands) ownOptionsFirst(child);
}

function addServing(program: Command, name: string, description: string, roles: readonly Role[]): void {
  addSettings(program.command(name).description(description)).action(async (options: object) => {
    const config = configFrom(options);
    // Loaded on demand: the service takes a second to load, and the other commands do not need it.
    const { serve } = await import('./serve.ts');
    await serve(config, roles);
  });
}

/**
 * Node may hang for ever when it exits while V8 compiles a function in another thread, which can happen when a short
 * command ends (https://github.com/nodejs/node/issues/54918).
 */
function compileInMainThread(name: string): void {
  if (!SERVICES.some(([service]) => service === name)) setFlagsFromString('--no-concurrent-recompilation');
}

/** Runs one command. An error is printed as one line on standard error. */
export async function main(args: string[]): Promise<void> {
  try {
    await buildProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`phonebooth: ${withAdvice(error)}\n`);
  return error instanceof ConfigError || error instanceof InvalidArgumentError ? 2 : exitCodeOf(error);
}
