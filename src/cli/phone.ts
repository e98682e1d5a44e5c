import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { print, wholeNumber } from './output.ts';
import { Progress } from './progress.ts';
import { addSession, fraction, type RemoteOptions, withPhone } from './remote.ts';

/** `phonebooth tap`, `text`, `key`, `screenshot`, `install`, `logs` and `shell`: what one does with a borrowed phone. */
export function addPhoneCommands(program: Command): void {
  addSession(program.command('tap').description('tap the screen; 0.5 0.5 is its middle'))
    .argument('<x>', 'fraction of the width, from the left', fraction)
    .argument('<y>', 'fraction of the height, from the top', fraction)
    .action((x: number, y: number, options: RemoteOptions) => withPhone(options, (phone) => phone.tap(x, y)));
  addSession(program.command('type').description('type a text'))
    .argument('<text>')
    .action((text: string, options: RemoteOptions) => withPhone(options, (phone) => phone.text(text)));
  addSession(program.command('key').description('press a key: HOME, BACK, ENTER, VOLUME_UP …'))
    .argument('<key>', 'an Android key name without KEYCODE_', keyName)
    .action((key: string, options: RemoteOptions) => withPhone(options, (phone) => phone.key(key)));
  addSession(
    program.command('screenshot').description('write the screen to a PNG file, or to standard output'),
  )
    .argument('[file]')
    .action(screenshot);
  addSession(program.command('record').description('record the screen to an MP4 file, until Ctrl-C'))
    .argument('<file>')
    .option('--seconds <n>', 'how long', wholeNumber)
    .action(record);
  addSession(program.command('install').description('upload an .apk, .apks or .xapk, and install it'))
    .argument('<file>')
    .action(install);
  addSession(program.command('logs').description('print the phone’s log until Ctrl-C')).action(logs);
  addSession(program.command('shell').description('run a command on the phone, where the operator allows it'))
    .argument('<command>')
    .action(shell);
}

function keyName(text: string): string {
  if (!/^[A-Z0-9_]{1,40}$/.test(text))
    throw new InvalidArgumentError('must be a name such as HOME or VOLUME_UP');
  return text;
}

async function screenshot(file: string | undefined, options: RemoteOptions): Promise<void> {
  if (file === undefined && process.stdout.isTTY) throw new Error('name a file, or send the output to one');
  const png = await withPhone(options, (phone) => phone.screenshot(), { watch: true });
  if (file !== undefined) return writeFile(file, png);
  if (!process.stdout.write(png)) await once(process.stdout, 'drain');
}

/** Whoever controls the phone goes on with that. Ends with the session, too. */
async function record(file: string, options: RemoteOptions & { seconds?: number }): Promise<void> {
  // An hour later would be late to hear that it cannot be written.
  await writeFile(file, '');
  await withPhone(
    options,
    async (phone) => {
      const end = new AbortController();
      const stop = () => end.abort();
      process.once('SIGINT', stop).once('SIGTERM', stop);
      const recording = await phone.record(file, { signal: end.signal });
      if (process.stderr.isTTY) process.stderr.write('Recording; Ctrl-C ends it.\n');
      const timer = options.seconds === undefined ? undefined : setTimeout(stop, options.seconds * 1000);
      const { why, files } = await recording.finished.finally(() => clearTimeout(timer));
      if (files.length === 0) throw new Error('nothing was recorded: no picture came in that time');
      print(`${files.join(', ')}${why === 'stopped' ? '' : ` (it ended early: ${why})`}`);
    },
    { watch: true },
  );
}

async function install(file: string, options: RemoteOptions): Promise<void> {
  await withPhone(options, async (phone, service) => {
    const progress = new Progress(process.stderr);
    const source = await openAsBlob(file).catch(() => {
      throw new Error(`${file} cannot be read`);
    });
    const app = await service.api.uploadApp(source, {
      onProgress: ({ sent, total }) => progress.show('Uploading', total ? sent / total : null),
    });
    await phone.install(app.id, {
      onProgress: ({ state, percent }) => progress.show(state, percent / 100),
    });
    progress.done();
    print(`${app.name} ${app.version} (${app.package}) is installed; its app id is ${app.id}.`);
  });
}

async function logs(options: RemoteOptions): Promise<void> {
  await withPhone(options, async (phone) => {
    phone.on('log.line', ({ time, level, tag, message }) => print(`${time} ${level} ${tag}: ${message}`));
    await phone.call('log.start', {});
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), phone.ended]);
  });
}

/** Ends with the exit code of the phone's command. */
async function shell(command: string, options: RemoteOptions): Promise<void> {
  const { exit_code, stdout, stderr } = await withPhone(options, (phone) => phone.shell(command));
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exit_code;
}
