import { type Command, InvalidArgumentError } from 'commander';
import type { PhoneSession } from '../client/phone-session.ts';
import type { Phonebooth } from '../client/phonebooth.ts';
import { readClientConfig } from '../main/config.ts';

/** What every command that uses phones takes. */
export interface RemoteOptions {
  url?: string;
  session?: string;
  json?: boolean;
}

export function addRemote(command: Command): Command {
  return command.option('--url <url>', 'address of the service (default $PHONEBOOTH_URL, or this machine’s)');
}

export function addSession(command: Command): Command {
  return addRemote(command).option(
    '--session <id>',
    'which session (default $PHONEBOOTH_SESSION_ID, or the account’s only live one)',
  );
}

export async function openService(options: RemoteOptions): Promise<Phonebooth> {
  const { url, apiKey } = await readClientConfig(options);
  // Loaded when it is needed: the other commands start without it.
  const { Phonebooth } = await import('../client/phonebooth.ts');
  return new Phonebooth({ url, key: apiKey });
}

/** @throws Error saying how to name a session, when none was named and there is not exactly one */
export async function findSessionId(service: Phonebooth, options: RemoteOptions): Promise<string> {
  const { sessionId } = await readClientConfig(options);
  const named = options.session ?? sessionId;
  if (named) return named;
  const { items } = await service.api.listSessions({ page_size: 100 });
  const live = items.filter(({ status }) => status !== 'disconnected');
  if (live.length === 1) return live[0]!.session_id;
  const ids = live.map(({ session_id }) => session_id).join(', ');
  throw new Error(
    live.length === 0
      ? 'there is no live session; borrow a phone with phonebooth connect'
      : `there are several live sessions: say which with --session (${ids})`,
  );
}

/** Does something with a session's phone, and leaves it lent. With `watch` whoever controls it goes on with that. */
export async function withPhone<T>(
  options: RemoteOptions,
  use: (phone: PhoneSession, service: Phonebooth) => Promise<T>,
  { watch = false } = {},
): Promise<T> {
  const service = await openService(options);
  const phone = await service.attach(await findSessionId(service, options), { watch });
  try {
    return await use(phone, service);
  } finally {
    phone.detach();
  }
}

export function minutes(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('must be whole minutes, 1 or more');
  return Number(text);
}

export function seconds(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 600)
    throw new InvalidArgumentError('must be whole seconds, up to 600');
  return Number(text);
}

/** Of the screen, from its top left. */
export function fraction(text: string): number {
  const value = Number(text);
  if (text === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('must be a fraction, 0 to 1');
  return value;
}
