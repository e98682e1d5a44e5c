import { abortable } from '../../client/abortable.ts';
import type { PhoneSession } from '../../client/phone-session.ts';
import type { Phonebooth } from '../../client/phonebooth.ts';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { counted } from '../../util/counted.ts';
import { oneLine } from '../../util/one-line.ts';
import { withAdvice } from '../advice.ts';
import { type BorrowOptions, borrow, filtersOf } from '../borrow.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { untilReady } from '../remote.ts';
import { runCommand } from './command.ts';
import { SharedOutput } from './prefixed-lines.ts';
import { exitCodeOfSignal, StoppedError, type StopSignals } from './stop-signals.ts';

const MAX_NAME = 40;

/** Which of several phones one is. `index` counts from 1. */
export interface Shard {
  index: number;
  total: number;
}

export interface PhonesOptions extends BorrowOptions {
  phones: number;
  asAvailable?: boolean;
}

export interface PhonesRun {
  service: Phonebooth;
  words: string[];
  options: PhonesOptions;
  signals: StopSignals;
  environmentOf: (phone: PhoneSession, shard: Shard) => NodeJS.ProcessEnv;
  /** Saves or deletes the recording of a session that has ended, if there is one. `code`: exit code of its command. */
  settle: (phone: PhoneSession, code: number, say: (line: string) => void) => Promise<void>;
}

/**
 * Runs a command once for each of several phones, and ends every session. Returns the highest exit code. A command that
 * fails does not stop the others.
 */
export async function runOnPhones(run: PhonesRun): Promise<number> {
  const { phones: total, asAvailable } = run.options;
  const shards = Array.from({ length: total }, (_, at): Shard => ({ index: at + 1, total }));
  const output = { stdout: new SharedOutput(process.stdout), stderr: new SharedOutput(process.stderr) };
  // Without a listener, an output that is closed would end this process before its sessions.
  const ignore = () => {};
  process.stdout.on('error', ignore);
  process.stderr.on('error', ignore);
  const progress = new Progress(total);
  const take = async (signal: AbortSignal) => {
    const phone = await borrow(run.service, run.options, { signal, onQueued: () => progress.waits() });
    progress.borrowed();
    return phone;
  };
  const runShard = (phone: PhoneSession, shard: Shard) => {
    const name = oneLine(phone.deviceName ?? phone.deviceId, MAX_NAME);
    const prefix = `[${shard.index}/${total} ${name}] `;
    return runOnPhone(run, phone, shard, { prefix, ...output });
  };
  const { whenStopped } = run.signals;
  if (!asAvailable) {
    const taken = await takeAll(run, take);
    return Math.max(...(await Promise.all(shards.map((shard, at) => runShard(taken[at]!, shard)))));
  }
  const codes = shards.map(async (shard) => {
    try {
      const phone = await take(whenStopped);
      return await runShard(phone, shard);
    } catch (error) {
      return codeOfFailure(error, `[${shard.index}/${total}] `);
    }
  });
  return Math.max(...(await Promise.all(codes)));
}

/** Borrows all phones and waits until each accepts commands. If one fails, the sessions of all end. */
async function takeAll(
  { service, options, signals: { whenStopped } }: PhonesRun,
  take: (signal: AbortSignal) => Promise<PhoneSession>,
): Promise<PhoneSession[]> {
  const { phones } = options;
  const { total } = await service.api.listDevices({ ...filtersOf(options), page_size: 1 }, whenStopped);
  if (total < phones) {
    const { code, status } = ERRORS.deviceUnavailable;
    const reason = `--phones ${phones} needs ${phones} phones at the same time, and only ${total} match; use a lower number or --as-available`;
    throw new ServiceError(reason, code, status);
  }
  const failing = new AbortController();
  const signal = AbortSignal.any([whenStopped, failing.signal]);
  const taken: PhoneSession[] = [];
  const takeOne = async () => {
    try {
      const phone = await take(signal);
      taken.push(phone);
      await abortable(untilReady(phone), signal);
    } catch (error) {
      failing.abort(error);
    }
  };
  await Promise.all(Array.from({ length: phones }, takeOne));
  if (!signal.aborted) return taken;
  await Promise.all(taken.map((phone) => endSession(phone)));
  if (taken.length > 0)
    process.stderr.write(
      `Only ${taken.length} of ${phones} phones were borrowed; their sessions have ended.\n`,
    );
  throw signal.reason;
}

async function runOnPhone(
  { words, signals, environmentOf, settle }: PhonesRun,
  phone: PhoneSession,
  shard: Shard,
  output: { prefix: string; stdout: SharedOutput; stderr: SharedOutput },
): Promise<number> {
  let code: number;
  try {
    await abortable(untilReady(phone), signals.whenStopped);
    signals.whenStopped.throwIfAborted();
    code = await runCommand(phone, { words, environment: environmentOf(phone, shard), signals, output });
    if (code !== 0) process.stderr.write(`${output.prefix}exited with ${code}\n`);
  } catch (error) {
    code = codeOfFailure(error, output.prefix);
  }
  const ended = await endSession(phone, output.prefix);
  if (ended === 0)
    await settle(phone, code, (line) => void process.stderr.write(`${output.prefix}${line}\n`));
  return Math.max(code, ended);
}

/** Ends a session and returns 0, or an exit code if the session could not be ended. */
async function endSession(phone: PhoneSession, prefix = ''): Promise<number> {
  try {
    await phone[Symbol.asyncDispose]();
    return 0;
  } catch (error) {
    const problem = `cannot end session ${phone.id}: ${withAdvice(error)}`;
    process.stderr.write(`${prefix}phonebooth: ${problem}; it ends at ${phone.expiresAt}\n`);
    return exitCodeOf(error);
  }
}

function codeOfFailure(error: unknown, prefix: string): number {
  process.stderr.write(`${prefix}phonebooth: ${withAdvice(error)}\n`);
  return error instanceof StoppedError ? exitCodeOfSignal(error.signal) : exitCodeOf(error);
}

/** Prints how many phones are borrowed, from the moment when one has to wait. */
class Progress {
  readonly #total: number;
  #borrowed = 0;
  #isWaiting = false;

  constructor(total: number) {
    this.#total = total;
  }

  waits(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#print();
  }

  borrowed(): void {
    this.#borrowed += 1;
    if (this.#isWaiting) this.#print();
  }

  #print(): void {
    const state = this.#borrowed < this.#total ? 'Waiting' : 'Ready';
    process.stderr.write(`${state}: ${this.#borrowed} of ${counted(this.#total, 'phone')} borrowed.\n`);
  }
}
