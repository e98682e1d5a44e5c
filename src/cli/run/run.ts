import { mkdir } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { abortable } from '../../client/abortable.ts';
import type { PhoneSession } from '../../client/phone-session.ts';
import { MAX_WAITING_PER_ACCOUNT } from '../../contract/http/queue.ts';
import { ConfigError, readClientConfig } from '../../server/config.ts';
import { RUN_VARIABLES, type RunVariables } from '../../server/environment.ts';
import { addBorrowing, type BorrowOptions, borrow } from '../borrow.ts';
import { whole } from '../output.ts';
import { openService, untilReady } from '../remote.ts';
import { runCommand } from './command.ts';
import { type PhonesRun, runOnPhones, type Shard } from './phones.ts';
import { type RecordingOptions, settleRecording } from './recording.ts';
import { exitCodeOfSignal, StoppedError, StopSignals } from './stop-signals.ts';

interface RunOptions extends Omit<BorrowOptions, 'record'>, RecordingOptions {
  phones?: number;
  asAvailable?: boolean;
}

/** `phonebooth run`. */
export function addRunCommand(program: Command): void {
  addBorrowing(
    program
      .command('run')
      .description('borrow phones, run a command with each, and end the sessions even if a command fails')
      .argument('<command...>', 'the command, after --'),
  )
    .addOption(
      new Option('--phones <n>', 'run the command once on each of n phones, at the same time')
        .argParser(whole('number', 1, MAX_WAITING_PER_ACCOUNT))
        .conflicts('device'),
    )
    .option('--as-available', 'with --phones: start each command when its phone is ready, not all together')
    .option('--record <folder>', 'record the sessions; save the recordings of commands that fail here')
    .option('--keep-recording', 'with --record: also save the recordings of commands that succeed')
    .addHelpText(
      'after',
      `
In the environment of the command, phonebooth tap, type, key and the like use its session. It contains:

${Object.entries(RUN_VARIABLES)
  .map(([name, content]) => `  ${name.padEnd(33)}${content.replaceAll('`', '')}`)
  .join('\n')}

phonebooth run exits with the exit code of the command, or with the highest one of several commands.

  phonebooth run --brand google --minutes 10 -- npm test
  phonebooth run --phones 4 -- sh -c 'vitest run --shard=$PHONEBOOTH_SHARD_INDEX/$PHONEBOOTH_SHARD_TOTAL'`,
    )
    .action(run);
}

async function run(words: string[], options: RunOptions): Promise<void> {
  const { phones: total, asAvailable, record, keepRecording, ...rest } = options;
  if (asAvailable && total === undefined) throw new ConfigError('--as-available', 'requires --phones');
  if (keepRecording && record === undefined) throw new ConfigError('--keep-recording', 'requires --record');
  if (record !== undefined) await createFolder(record);
  const borrowing: BorrowOptions = { ...rest, ...(record !== undefined && { record: true }) };
  const { url, apiKey } = await readClientConfig(options);
  const service = await openService(options);
  const environmentOf = (phone: PhoneSession, { index, total }: Shard) =>
    environment({
      PHONEBOOTH_URL: url,
      PHONEBOOTH_API_KEY: apiKey,
      PHONEBOOTH_SESSION_ID: phone.id,
      PHONEBOOTH_DEVICE_ID: phone.deviceId,
      PHONEBOOTH_SESSION_STREAM_URL: phone.streamUrl,
      PHONEBOOTH_SESSION_CONTROL_URL: phone.controlUrl ?? undefined,
      PHONEBOOTH_WEBDRIVER_URL: service.webDriverUrl,
      PHONEBOOTH_SHARD_INDEX: String(index),
      PHONEBOOTH_SHARD_TOTAL: String(total),
    });
  using signals = new StopSignals();
  const settle = ({ id: sessionId }: PhoneSession, code: number, say: (line: string) => void) =>
    settleRecording({ api: service.api, sessionId, code, signal: signals.whenStopped, say }, options);
  const all = { service, words, signals, environmentOf, settle };
  try {
    process.exitCode =
      total === undefined
        ? await runOnOnePhone({ ...all, options: borrowing })
        : await runOnPhones({
            ...all,
            options: { ...borrowing, phones: total, ...(asAvailable && { asAvailable }) },
          });
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    process.stderr.write(`phonebooth: ${error.message}\n`);
    process.exitCode = exitCodeOfSignal(error.signal);
  }
}

/** A folder that cannot be written is reported before the command runs, not after it has failed. */
async function createFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new ConfigError('--record', `cannot create the folder ${folder}: ${error.message}`);
  });
}

type OnePhoneRun = Omit<PhonesRun, 'options'> & { options: BorrowOptions };

async function runOnOnePhone({ service, words, options, signals, environmentOf, settle }: OnePhoneRun) {
  const { whenStopped } = signals;
  await using phone = await borrow(service, options, { signal: whenStopped });
  await abortable(untilReady(phone), whenStopped);
  const environment = environmentOf(phone, { index: 1, total: 1 });
  const code = await runCommand(phone, { words, environment, signals, output: null });
  // A recording is complete when its session has ended. The end of this block repeats an end that failed.
  const hasEnded = await phone.disconnect().then(
    () => true,
    () => false,
  );
  if (hasEnded) await settle(phone, code, (line) => void process.stderr.write(`${line}\n`));
  return code;
}

/** The environment of a command: that of this process, with the variables of its phone. */
function environment(variables: RunVariables): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: the command runs in the environment that this one was given
  const { PHONEBOOTH_API_KEY_FILE: _sameKey, ...inherited } = process.env;
  return { ...inherited, ...variables };
}
