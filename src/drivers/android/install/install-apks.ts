import { addAbortListener } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DriverError } from '../../driver.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { shellLine } from '../adb/quote.ts';
import { promptUnanswered } from './install-prompt.ts';

export interface InstallSettings {
  /** Android's id of the user for whom the app is installed. */
  user: number;
  /** Android's API level. */
  sdk: number;
  signal: AbortSignal;
  /** Called with the number of bytes sent since the last call. */
  onBytes(count: number): void;
}

/** Android 14, which rejects apps that target Android 5 or older unless a flag allows them. */
const LOW_TARGET_SDK = 34;
/** Optimising a large app takes several minutes on a phone. */
const COMMIT_TIMEOUT_MS = 5 * 60_000;
const REPLY_TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 64 * 1024;

/**
 * Installs one app from its APKs, the base and its splits, by streaming them from disk into an install session of the
 * phone's package manager, as `adb install-multiple` does. Replaces an older version of the app.
 * @throws DriverError with the phone's message (`INSTALL_FAILED_…`).
 */
export async function installApks(
  device: AdbDevice,
  files: string[],
  settings: InstallSettings,
): Promise<void> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const { user, sdk, signal, onBytes } = settings;
  const flags = ['-r', '-t', ...(sdk >= LOW_TARGET_SDK ? ['--bypass-low-target-sdk-block'] : [])];
  const create = shellLine('cmd', 'package', 'install-create', ...flags, '--user', user, '-S', total);
  const id = /\[(\d+)\]/.exec(await runPackageCommand(device, create, signal))?.[1];
  if (!id)
    throw new DriverError('failed', 'the phone did not open an install session; try again, or restart it');
  try {
    for (const [index, file] of files.entries()) {
      const part = { id, file, name: `${index}_${basename(file)}`, size: sizes[index]! };
      await writePart(device, part, signal, onBytes);
    }
    await commit(device, id, signal);
  } catch (error) {
    const abandoning = AbortSignal.timeout(REPLY_TIMEOUT_MS);
    await runPackageCommand(device, shellLine('cmd', 'package', 'install-abandon', id), abandoning).catch(
      () => {},
    );
    throw error;
  }
}

/** The phone may show a prompt first, which a CI job cannot answer. */
async function commit(device: AdbDevice, id: string, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const committing = runPackageCommand(
    device,
    shellLine('cmd', 'package', 'install-commit', id),
    both,
    COMMIT_TIMEOUT_MS,
  );
  const prompt = promptUnanswered(device, both).then((window) => {
    if (window !== null) throw new DriverError('failed', `${UNANSWERED} The window is ${window}.`);
    return committing;
  });
  try {
    await Promise.race([committing, prompt]);
  } finally {
    over.abort();
    await Promise.allSettled([committing, prompt]);
  }
}

/** Runs one command of the package manager, which prints `Success` or the reason for its failure. */
async function runPackageCommand(
  device: AdbDevice,
  line: string,
  signal: AbortSignal,
  timeoutMs = REPLY_TIMEOUT_MS,
): Promise<string> {
  const { stdout, stderr } = await device.shell(line, { signal, timeoutMs });
  return orThrow(stdout.toString('utf8') + stderr);
}

const FAILURE = 'Failure [';

const UNANSWERED =
  'The phone asked on its screen whether to allow the app, and got no answer within a minute. Allow it ' +
  'there, or turn such prompts off (docs/android.md lists the settings by manufacturer).';

/** What an operator or a borrower can do about a rejection that the phone's message does not explain. */
const ADVICE: [RegExp, string][] = [
  [
    /^INSTALL_FAILED_USER_RESTRICTED/,
    'The phone does not allow installing apps over USB, or its prompt was not answered in time. Xiaomi, ' +
      'Redmi and POCO: turn on "Install via USB" in the developer options. Other phones: allow the prompt ' +
      'on the screen.',
  ],
  [
    /^INSTALL_FAILED_VERIFICATION_(?:FAILURE|TIMEOUT)/,
    'A verifier on the phone, such as Play Protect, rejected the app. Turn off "Verify apps over USB" in ' +
      'the developer options, or Play Protect in the Play Store.',
  ],
  [
    /^INSTALL_FAILED_ABORTED/,
    'The installation was cancelled on the phone. Phones of some manufacturers ask for a password first: ' +
      'docs/android.md names the setting.',
  ],
];

function orThrow(text: string): string {
  if (/^Success/m.test(text)) return text;
  const start = text.indexOf(FAILURE);
  const rest = start < 0 ? '' : text.slice(start + FAILURE.length);
  const end = rest.search(/\]\s*$/m);
  const reason = end < 0 ? text.trim() : rest.slice(0, end);
  const words =
    reason.slice(0, 500) || 'the phone rejected the app without a reason; its log may contain one';
  const advice = ADVICE.find(([code]) => code.test(words))?.[1];
  throw new DriverError('failed', advice ? `${words}. ${advice}` : words);
}

interface Part {
  id: string;
  file: string;
  name: string;
  size: number;
}

/**
 * Sends the bytes over `exec:`, which adds no framing. The phone answers after it has received the announced number
 * of bytes.
 */
async function writePart(
  device: AdbDevice,
  { id, file, name, size }: Part,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<void> {
  const line = shellLine(
    'cmd',
    'package',
    'install-write',
    '-S',
    size,
    id,
    name.replaceAll(/[^\w.-]/g, '_'),
    '-',
  );
  const socket = await device.open(`exec:${line}`, signal);
  using _aborting = addAbortListener(signal, () => socket.destroy());
  const answer = Promise.withResolvers<string>();
  let text = '';
  socket.on('data', (data) => {
    text = (text + data.toString('utf8')).slice(-MAX_REPLY_BYTES);
  });
  socket.on('close', () => answer.resolve(text));
  socket.resume();
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  try {
    // A phone that rejects the file midway closes the socket. Its message is reported instead of the broken pipe.
    const copying = pipeline(createReadStream(file), count, socket, { signal, end: false });
    await Promise.race([copying.catch(() => {}), answer.promise]);
    const timer = setTimeout(() => socket.destroy(), REPLY_TIMEOUT_MS);
    const said = await answer.promise.finally(() => clearTimeout(timer));
    signal.throwIfAborted();
    if (!said) throw new AdbError('the connection to the phone was lost while the app was copied; try again');
    orThrow(said);
  } finally {
    socket.destroy();
  }
}
