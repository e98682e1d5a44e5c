import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { isServiceError } from '../client/service-error.ts';
import type { UploadOptions } from '../client/upload.ts';
import { HIGHEST_MAX_DURATION } from '../contract/http/session.ts';
import type { UiNode } from '../contract/sockets/control-methods.ts';
import { DEFAULT_SWIPE_MS, MAX_GESTURE_MS } from '../contract/sockets/gestures.ts';
import { ConfigError } from '../server/config.ts';
import { readableFile } from './local-file.ts';
import { addJson, print, printResult, whole } from './output.ts';
import { Progress } from './progress.ts';
import { addSession, fraction, type RemoteOptions, withPhone } from './remote.ts';

const MAX_RECORD_S = HIGHEST_MAX_DURATION * 60;

/** `phonebooth tap`, `swipe`, `type`, `key`, `ui`, `screenshot`, `record`, `install`, `logs` and `shell`. */
export function addPhoneCommands(program: Command): void {
  addSession(program.command('tap').description('tap the screen; 0.5 0.5 is its center'))
    .argument('<x>', 'distance from the left edge, as a fraction of the width', fraction)
    .argument('<y>', 'distance from the top edge, as a fraction of the height', fraction)
    .action((x: number, y: number, options: RemoteOptions) => withPhone(options, (phone) => phone.tap(x, y)));
  addSession(program.command('swipe').description('swipe from one point of the screen to another'))
    .argument('<x1>', 'start, as a fraction of the width', fraction)
    .argument('<y1>', 'start, as a fraction of the height', fraction)
    .argument('<x2>', 'end, as a fraction of the width', fraction)
    .argument('<y2>', 'end, as a fraction of the height', fraction)
    .option(
      '--ms <n>',
      `duration of the gesture in milliseconds (default ${DEFAULT_SWIPE_MS})`,
      whole('number of milliseconds', 1, MAX_GESTURE_MS),
    )
    .action(swipe);
  addSession(program.command('type').description('type text'))
    .argument('<text>')
    .action((text: string, options: RemoteOptions) => withPhone(options, (phone) => phone.text(text)));
  addSession(program.command('key').description('press a key such as HOME, BACK, ENTER or VOLUME_UP'))
    .argument('<key>', 'name of an Android key, without KEYCODE_', keyName)
    .action((key: string, options: RemoteOptions) => withPhone(options, (phone) => phone.key(key)));
  addSession(addJson(program.command('ui').description('print the elements on the screen'))).action(ui);
  addSession(
    program.command('screenshot').description('write a screenshot to a PNG file or to standard output'),
  )
    .argument('[file]')
    .action(screenshot);
  addSession(addJson(program.command('record').description('record the screen to an MP4 file until Ctrl-C')))
    .argument('<file>')
    .option('--seconds <n>', 'stop after this many seconds', whole('number of seconds', 1, MAX_RECORD_S))
    .action(record);
  addSession(
    addJson(program.command('install').description('upload an .apk, .apks or .xapk file and install it')),
  )
    .argument('<file>')
    .action(install);
  addSession(program.command('logs').description('print the log of the phone until Ctrl-C'))
    .option('--take-control', 'take control of the phone from the client that has it')
    .option('--jsonl', 'print one JSON object per line')
    .addHelpText(
      'after',
      `
Only the client that controls the phone receives its log. --take-control is required as consent: if another client,
such as a test or the console, controls the phone, that client loses control. The command fails when it loses control itself.`,
    )
    .action(logs);
  addSession(
    addJson(
      program.command('shell').description('run a shell command on the phone, if the operator allows it'),
    ),
  )
    .argument('<command>')
    .action(shell);
}

function keyName(text: string): string {
  if (!/^[A-Z0-9_]{1,40}$/.test(text))
    throw new InvalidArgumentError('must be the name of an Android key such as HOME or VOLUME_UP');
  return text;
}

function swipe(
  ...[x1, y1, x2, y2, { ms, ...options }]: [number, number, number, number, RemoteOptions & { ms?: number }]
): Promise<void> {
  return withPhone(options, (phone) =>
    phone.swipe({ x: x1, y: y1 }, { x: x2, y: y2 }, ms === undefined ? {} : { ms }),
  );
}

/** Prints the element tree, one line per element, with the center of each element for `tap`. */
async function ui(options: RemoteOptions): Promise<void> {
  const root = await withPhone(options, (phone) => phone.uiTree());
  printResult(options, root, linesOf(root, '').join('\n'));
}

function linesOf(node: UiNode, indent: string): string[] {
  const { x, y, width, height } = node.bounds;
  const center = [x + width / 2, y + height / 2].map((value) => value.toFixed(3)).join(' ');
  const states = (['clickable', 'focused', 'scrollable', 'checked'] as const).filter((state) => node[state]);
  const words = [node.role, node.text && JSON.stringify(node.text), node.id, ...states, `at ${center}`];
  const line = `${indent}${words.filter(Boolean).join(' ')}`;
  return [line, ...(node.children ?? []).flatMap((child) => linesOf(child, `${indent}  `))];
}

async function screenshot(file: string | undefined, options: RemoteOptions): Promise<void> {
  if (file === undefined && process.stdout.isTTY)
    throw new Error('standard output is a terminal; name a file, or redirect the output to one');
  const png = await withPhone(options, (phone) => phone.screenshot(), { watch: true });
  if (file !== undefined) return writeFile(file, png);
  if (!process.stdout.write(png)) await once(process.stdout, 'drain');
}

/**
 * Records the screen without taking control: the current controller keeps it. The recording also ends with the
 * session.
 */
async function record(file: string, options: RemoteOptions & { seconds?: number }): Promise<void> {
  // A file that cannot be written is reported now, not at the end of the recording.
  await writeFile(file, '');
  await withPhone(
    options,
    async (phone) => {
      const end = new AbortController();
      const stop = () => end.abort();
      process.once('SIGINT', stop).once('SIGTERM', stop);
      const recording = await phone.record(file, { signal: end.signal });
      if (process.stderr.isTTY) process.stderr.write('Recording. Press Ctrl-C to stop.\n');
      const timer = options.seconds === undefined ? undefined : setTimeout(stop, options.seconds * 1000);
      const { why, files } = await recording.finished.finally(() => clearTimeout(timer));
      if (files.length === 0)
        throw new Error('nothing was recorded: the phone sent no video; try again while its screen is shown');
      const early = why === 'stopped' ? '' : ` (the recording ended early: ${why})`;
      printResult(options, { files, ended: why }, `${files.join(', ')}${early}`);
    },
    { watch: true },
  );
}

async function install(file: string, options: RemoteOptions): Promise<void> {
  await withPhone(options, async (phone, service) => {
    const progress = new Progress(process.stderr);
    const source = await readableFile(file);
    const onProgress: UploadOptions['onProgress'] = ({ sent, total }) =>
      progress.show('Uploading', total ? sent / total : null);
    const app = await service.api.uploadApp(source, { onProgress }).catch((error: unknown) => {
      throw isServiceError(error, 'invalid')
        ? new ConfigError(file, error.message.replace(/^body /, ''))
        : error;
    });
    await phone.install(app.id, {
      onProgress: ({ state, percent }) => progress.show(state, percent / 100),
    });
    progress.done();
    const name = `${app.name} ${app.version} (${app.package})`;
    printResult(options, app, `${name} is installed. Its app id is ${app.id}.`);
  });
}

const LOG_ENDED =
  'another client took control of the phone, so the log stops here; run this command again to take it back';

interface LogsOptions extends RemoteOptions {
  takeControl?: boolean;
  jsonl?: boolean;
}

async function logs({ takeControl, jsonl, ...options }: LogsOptions): Promise<void> {
  if (!takeControl)
    throw new ConfigError(
      '--take-control',
      'is required: reading the log takes control of the phone from the client that has it',
    );
  await withPhone(options, async (phone) => {
    phone.on('log.line', (line) => {
      const { time, level, tag, message } = line;
      print(jsonl ? JSON.stringify(line) : `${time} ${level} ${tag}: ${message}`);
    });
    const start = () => phone.call('log.start', {});
    // The log subscription ends when the connection is lost. It is started again when the connection is back.
    phone.on('session.ready', () => void start().catch(() => {}));
    await start();
    const end = await Promise.race([
      once(process, 'SIGINT').then(() => null),
      once(process, 'SIGTERM').then(() => null),
      phone.ended,
      phone.takenOver.then(() => new Error(LOG_ENDED)),
    ]);
    if (end) throw end;
  });
}

/** Exits with the exit code of the command on the phone. */
async function shell(command: string, options: RemoteOptions): Promise<void> {
  const result = await withPhone(options, (phone) => phone.shell(command));
  if (options.json) print(JSON.stringify(result));
  else {
    process.stdout.write(result.stdout);
    process.stderr.write(result.stderr);
  }
  process.exitCode = result.exit_code;
}
