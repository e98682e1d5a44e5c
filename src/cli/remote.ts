import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PhoneSession } from '../client/phone-session.ts';
import type { Phonebooth } from '../client/phonebooth.ts';
import { readClientConfig } from '../server/config.ts';
import { type JsonOptions, whole } from './output.ts';

/** Longest wait for a phone to be ready; a session that takes longer to start ends with `start_timeout`. */
const READY_TIMEOUT_MS = 90_000;

/** The options of every command that uses phones. */
export interface RemoteOptions extends JsonOptions {
  url?: string;
  session?: string;
}

const HEADING = 'Service:';

export function addRemote(command: Command): Command {
  const description = 'address of the service (default: $PHONEBOOTH_URL, or http://localhost:7100)';
  return command.addOption(new Option('--url <url>', description).helpGroup(HEADING));
}

export function addSession(command: Command): Command {
  const description =
    'the session to use (default: $PHONEBOOTH_SESSION_ID, or the only live session of the account)';
  return addRemote(command).addOption(new Option('--session <id>', description).helpGroup(HEADING));
}

export async function openService(options: RemoteOptions): Promise<Phonebooth> {
  const { url, apiKey } = await readClientConfig(options);
  // Loaded on demand, so that the other commands start faster.
  const { Phonebooth } = await import('../client/phonebooth.ts');
  return new Phonebooth({ url, key: apiKey });
}

/** @throws Error that explains how to select a session, when none was named and there is not exactly one */
export async function findSessionId(
  service: Pick<Phonebooth, 'api'>,
  options: RemoteOptions,
): Promise<string> {
  const { sessionId } = await readClientConfig(options);
  const named = options.session ?? sessionId;
  if (named) return named;
  const { items } = await service.api.listSessions({ page_size: 100 });
  const live = items.filter(({ status }) => status !== 'disconnected');
  if (live.length === 1) return live[0]!.session_id;
  const ids = live.map(({ session_id }) => session_id).join(', ');
  throw new Error(
    live.length === 0
      ? 'the account has no live session; borrow a phone with phonebooth connect'
      : `the account has several live sessions; choose one with --session: ${ids}`,
  );
}

/**
 * Runs a function with the phone of a session, which continues afterwards. With `watch` the current controller keeps
 * control.
 */
export async function withPhone<T>(
  options: RemoteOptions,
  use: (phone: PhoneSession, service: Phonebooth) => Promise<T>,
  { watch = false } = {},
): Promise<T> {
  const service = await openService(options);
  const phone = await service.attach(await findSessionId(service, options), { watch });
  try {
    await untilReady(phone);
    return await use(phone, service);
  } finally {
    phone.detach();
  }
}

/** Resolves when the phone takes commands. @throws Error when it does not in time; SessionEndedError */
export async function untilReady(phone: PhoneSession): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const { connectionProblem: problem, controlUrl } = phone;
    const where =
      controlUrl && problem
        ? `: cannot open its control socket at ${new URL(controlUrl).origin}: ${problem}`
        : '; try again, or borrow another phone';
    late.reject(new Error(`timed out after ${READY_TIMEOUT_MS / 1000} s: the phone is not ready${where}`));
  }, READY_TIMEOUT_MS);
  try {
    await Promise.race([phone.ready, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export function minutes(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('must be a whole number of minutes, at least 1');
  return Number(text);
}

export const seconds = whole('number of seconds', 0, 600);

/** Parses a coordinate as a fraction of the screen, measured from its top left corner. */
export function fraction(text: string): number {
  const value = Number(text);
  if (text === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('must be a number from 0 to 1');
  return value;
}
