import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { PhoneSession } from '../../client/phone-session.ts';
import { printable } from '../output.ts';
import { copyLines, type SharedOutput } from './prefixed-lines.ts';
import { exitCodeOfSignal, type StopSignals } from './stop-signals.ts';

/**
 * Time from the first signal until a command with a prefix is killed. GitHub Actions kills a cancelled step 10 s after its
 * first signal, and the session has to end before that.
 */
const KILL_AFTER_MS = 5_000;
/** Maximum time in which the last output is read. A process that outlives the command may keep the output open. */
const LAST_OUTPUT_MS = 2_000;
const SESSION_ENDED = 5;

/** Where the lines of a command are printed. */
export interface PrefixedOutput {
  prefix: string;
  stdout: SharedOutput;
  stderr: SharedOutput;
}

export interface CommandOptions {
  words: string[];
  environment: NodeJS.ProcessEnv;
  signals: StopSignals;
  /** null: the command uses the terminal of this process. */
  output: PrefixedOutput | null;
}

/**
 * Runs a command with a phone, and stops it when the session ends. Signals are forwarded to it, so that the session ends
 * after the command has exited.
 */
export async function runCommand(phone: PhoneSession, options: CommandOptions): Promise<number> {
  const { words, environment: env, signals, output } = options;
  const [program, ...rest] = words;
  const child = spawn(program!, rest, {
    stdio: output === null ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env,
  });
  await using stopping = new AsyncDisposableStack();
  const stop = stopperOf(child, { kills: output !== null }, stopping);
  stopping.defer(signals.onSignal(stop));
  const printed = output && print(child, output, stop);
  let isRunning = true;
  let sessionEnded = false;
  void phone.ended.then((end) => {
    if (!isRunning) return;
    sessionEnded = true;
    process.stderr.write(`${output?.prefix ?? ''}phonebooth: ${printable(end.message)}\n`);
    stop('SIGTERM');
  });
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    const exitCode = code ?? exitCodeOfSignal(signal!);
    return sessionEnded ? exitCode || SESSION_ENDED : exitCode;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'it was not found' : message;
    throw new Error(`cannot run ${program}: ${why}; check the command after --`);
  } finally {
    isRunning = false;
    if (printed) await lastOutput(child, printed);
  }
}

/** Returns a function that sends a signal to the command. With `kills`, the command is killed if it does not exit. */
function stopperOf(
  child: ChildProcess,
  { kills }: { kills: boolean },
  stopping: AsyncDisposableStack,
): (signal: NodeJS.Signals) => void {
  let timer: NodeJS.Timeout | undefined;
  stopping.defer(() => clearTimeout(timer));
  return (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    if (kills) timer ??= setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  };
}

async function print(
  { stdout, stderr }: ChildProcess,
  { prefix, ...to }: PrefixedOutput,
  stop: (signal: NodeJS.Signals) => void,
): Promise<void> {
  try {
    await Promise.all([copyLines(stdout!, prefix, to.stdout), copyLines(stderr!, prefix, to.stderr)]);
  } catch {
    // The reader of the output has exited, such as `head`.
    stop('SIGTERM');
  }
}

async function lastOutput({ stdout, stderr }: ChildProcess, printed: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, LAST_OUTPUT_MS);
  await Promise.race([printed, late.promise]);
  clearTimeout(timer);
  stdout!.destroy();
  stderr!.destroy();
}
