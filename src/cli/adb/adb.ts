import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import { addJson, print, printResult } from '../output.ts';
import { addSession, findSessionId, openService, type RemoteOptions } from '../remote.ts';

interface AdbOptions extends RemoteOptions {
  port: number;
}

/** `phonebooth adb`: exposes a borrowed phone as a local port for adb and the tools that use it. */
export function addAdbCommand(program: Command): void {
  addSession(
    addJson(
      program.command('adb').description('open a local port through which adb reaches a borrowed phone'),
    ),
  )
    .argument('[session]', 'the session to use, the same as --session')
    .option('--port <n>', 'local port to listen on; 0 for any free port', portNumber, 0)
    .addHelpText(
      'after',
      `
Runs until Ctrl-C or the end of the session; the phone stays borrowed after Ctrl-C. In another terminal:

  adb connect 127.0.0.1:<port>       makes the phone available to Android Studio, Appium, Maestro and Gradle
  adb -s 127.0.0.1:<port> shell      shell, install, push, pull, logcat, forward and reverse work as over USB
  adb disconnect 127.0.0.1:<port>

Every user of this machine can use the port. Simulated phones have no adb. The operator has to allow adb with
PHONEBOOTH_ALLOW_SHELL=on on the device host. See docs/adb.md.`,
    )
    .action(adb);
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('must be a port from 1 to 65535, or 0 for any free port');
  return Number(text);
}

async function adb(named: string | undefined, options: AdbOptions): Promise<void> {
  const service = await openService(options);
  const id = await findSessionId(service, named === undefined ? options : { ...options, session: named });
  const session = await service.api.getSession(id);
  if (!session.adb_url)
    throw new Error('the role of this API key does not allow adb; it needs the role user or admin');
  // Loaded on demand, so that the other commands start faster.
  const { LocalPort } = await import('./local-port.ts');
  await using local = await LocalPort.open(service.api.socketUrl(session.adb_url), options.port);
  const { address, port } = local;
  printResult(
    options,
    { session_id: id, device_id: session.device_id, address, port },
    `Phone ${session.device_id} is at ${address} until ${session.expires_at}, on this machine only:\n\n  adb connect ${address}\n\nPress Ctrl-C to stop.`,
  );
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => null);
  const end = await Promise.race([local.ended, stopped]);
  if (end === null) return;
  if (end.error) throw end.error;
  print(`The adb connection has ended: ${end.message}.`);
}
