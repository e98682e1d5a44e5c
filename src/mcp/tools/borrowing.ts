import { Type } from 'typebox';
import type { Device } from '../../contract/http/device.ts';
import { MAX_WAIT_S } from '../../contract/http/queue.ts';
import type { Session } from '../../contract/http/session.ts';
import { DEFAULT_DURATION_MINUTES, HIGHEST_MAX_DURATION } from '../../contract/http/session.ts';
import { counted } from '../../util/counted.ts';
import { screenAfter, showAfter } from '../acting.ts';
import type { BorrowedPhones } from '../borrowed-phones.ts';
import { ToolError } from '../error-messages.ts';
import type { HeldPhone } from '../held-phone.ts';
import { BORROWS, ENDS, fields, LOOKS, type ToolCall, tool, whichPhone } from '../tool.ts';

/** Maximum number of phones listed, so that the answer stays short enough for a model. */
const MAX_LISTED = 100;
/** Maximum time to connect to an available phone and to wait until it is ready, ms. */
const START_MS = 90_000;

const text = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));
const filters = {
  brand: text('Only phones of this brand, such as "google"'),
  os_version: text('Only phones with this OS version, such as "15"'),
};

const listPhones = tool({
  name: 'list_phones',
  title: 'List phones',
  description:
    'Lists the phones of this service, one per line: id, name, brand, OS version, resolution and status (available or busy). Use it to choose a phone, or to see why borrow_phone found none. To borrow one, call borrow_phone.',
  input: fields({
    ...filters,
    status: Type.Optional(Type.Enum(['available', 'busy'], { description: 'Only phones with this status' })),
  }),
  effect: LOOKS,
  run: async ({ brand, os_version, status }, { phones, signal }) => {
    const query = { brand, os_version, status, page: 1, page_size: MAX_LISTED };
    const { items, total } = await phones.service.api.listDevices(query, signal);
    if (total === 0) return 'No phone matches. Omit some of brand, os_version and status.';
    const lines = items.map(lineOfDevice);
    if (total > items.length)
      lines.push(`(${total - items.length} more phones are not shown; filter them with brand or os_version)`);
    return lines.join('\n');
  },
});

const lineOfDevice = ({ id, name, brand, os_version, resolution, status }: Device) =>
  `${id}: ${name}, ${brand}, OS ${os_version}, ${resolution}, ${status}`;

const borrowPhone = tool({
  name: 'borrow_phone',
  title: 'Borrow a phone',
  description:
    'Borrows a phone, waits until it is ready, and returns its session id. Without arguments, it borrows ' +
    'any available phone. Call it first: most other tools need a borrowed phone. The phone is clean, ' +
    'without apps or data of previous users. The session ends when its minutes are over, when this ' +
    'connection ends, or with give_back. Call give_back as soon as you are done, because other users may ' +
    'be waiting. It returns the screen of the phone.',
  input: fields({
    id: text('Borrow this phone, by its id in list_phones; fails if it is busy'),
    ...filters,
    model: text('Only phones with this model code'),
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: HIGHEST_MAX_DURATION,
        default: DEFAULT_DURATION_MINUTES,
        description:
          'Length of the session in minutes; the operator may allow less than the maximum. Call extend to add ' +
          'minutes later',
      }),
    ),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_S,
        default: 30,
        description:
          'Maximum time to wait in the queue if no phone is available, in seconds; ignored with id',
      }),
    ),
    app_id: text('Install this uploaded app (see list_apps) when the phone is ready'),
    record: Type.Optional(
      Type.Boolean({
        description:
          'Whether to record the screen and the commands, which get_trajectory returns; default: the setting of the account',
      }),
    ),
    ...showAfter('text'),
  }),
  effect: BORROWS,
  deadlineMs: ({ wait_seconds = 0 }) => wait_seconds * 1000 + START_MS,
  run: async (args, call) => {
    const { phones, signal, reportProgress } = call;
    const { id, brand, os_version, model, minutes: duration, wait_seconds: wait, app_id, record } = args;
    if (id !== undefined && (brand ?? os_version ?? model) !== undefined)
      throw new ToolError('`id` names one phone. Omit `id`, or omit `brand`, `os_version` and `model`.');
    const phone = await phones.take(() => {
      if (id !== undefined) return phones.service.connect(id, { duration, app_id, record });
      const onQueued = ({ position, matching }: { position: number; matching: number }) =>
        reportProgress(`Waiting for one of ${counted(matching, 'phone')}: position ${position} in the queue`);
      const request = { brand, os_version, model, duration, wait, app_id, record };
      return phones.service.borrow({ ...request, signal, onQueued });
    });
    reportProgress(`${phone.name} is starting`);
    await waitUntilReady(phone, call);
    const time = counted(duration ?? DEFAULT_DURATION_MINUTES, 'minute');
    const recorded = phone.session.isRecorded ? ' The session is recorded.' : '';
    const said = `You have borrowed ${phone.title} for ${time}.${recorded} Call give_back when you are done.`;
    return [{ type: 'text', text: said }, ...(await screenAfter(phone, args.show ?? 'text', call))];
  },
});

/** Waits until the phone is ready. Ends the session when the call is aborted or the phone fails to start. */
async function waitUntilReady(phone: HeldPhone, { phones, signal }: ToolCall): Promise<void> {
  const gone = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  gone.catch(() => {});
  try {
    await Promise.race([phone.session.ready, gone]);
  } catch (error) {
    if (phones.held.includes(phone)) await phones.endSession(phone);
    throw error;
  }
}

const myPhones = tool({
  name: 'my_phones',
  title: 'Show my phones',
  description:
    'Lists the phones that you have borrowed, with the minutes left, and other live sessions of this ' +
    'account, which other people may be using. look shows their screens, and use_phone takes control of ' +
    'one. Call it if you are not sure which phones you have.',
  input: fields({}),
  effect: LOOKS,
  run: async (_, { phones, signal }) => {
    const { items } = await phones.service.api.listSessions({ page_size: 100 }, signal);
    const own = phones.held.map((phone) => `${phone.title}: ${counted(phone.minutesLeft, 'minute')} left`);
    const held = new Set(phones.held.map(({ session }) => session.id));
    const others = items.filter(
      ({ status, session_id }) => status !== 'disconnected' && !held.has(session_id),
    );
    const lines =
      own.length === 0 ? ['You have no phone. Borrow one with borrow_phone.'] : ['You have:', ...own];
    if (others.length > 0) lines.push('Other live sessions of this account:', ...others.map(lineOfSession));
    return lines.join('\n');
  },
});

const lineOfSession = ({ session_id, device_id, status, expires_at }: Session) =>
  `${session_id}: phone ${device_id}, ${status}, until ${expires_at}`;

const usePhone = tool({
  name: 'use_phone',
  title: 'Take control of a borrowed phone',
  description:
    'Takes control of a live session of this account that was not started here, such as a phone that the ' +
    'user has open in the console, or takes control back from another client. The client that had ' +
    'control loses it, so call this only if the user wants it. The session continues when you ' +
    'disconnect; give_back ends it.',
  input: fields({
    session_id: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Session id, as shown by my_phones',
    }),
    ...showAfter('text'),
  }),
  effect: BORROWS,
  run: async ({ session_id, show = 'text' }, call) => {
    const { phones, signal } = call;
    await refuseViewer(phones, signal);
    const before = phones.held.find(({ session }) => session.id === session_id);
    const { status } = await phones.service.api.getSession(session_id, signal);
    if (status === 'disconnected')
      throw new ToolError(`The session ${session_id} has ended. Call my_phones to see which are live.`);
    const phone = await phones.take(() => phones.service.attach(session_id), {
      isShared: before?.isShared ?? true,
    });
    await phone.session.ready;
    const said = `You control ${phone.title}, with ${counted(phone.minutesLeft, 'minute')} left.`;
    return [{ type: 'text', text: said }, ...(await screenAfter(phone, show, call))];
  },
});

/**
 * The service rejects a borrow by a viewer key. No HTTP operation corresponds to taking over control, so the role is
 * checked here.
 */
async function refuseViewer({ service }: BorrowedPhones, signal: AbortSignal): Promise<void> {
  const { items } = await service.api.listKeys({ page_size: 100 }, signal);
  if (items.find(({ current }) => current)?.role !== 'viewer') return;
  throw new ToolError(
    'The role of this API key is read-only. Tell the user that this needs a key with the role user or ' +
      'admin.',
  );
}

const extend = tool({
  name: 'extend',
  title: 'Keep a phone for longer',
  description:
    'Adds minutes to the session of a phone that you have borrowed. Call it if less time is left than ' +
    'you need: the phone is wiped at the end of the session.',
  input: fields({
    ...whichPhone,
    minutes: Type.Integer({ minimum: 1, maximum: HIGHEST_MAX_DURATION, description: 'Minutes to add' }),
  }),
  effect: BORROWS,
  run: async ({ phone: name, minutes }, { phones, signal }) => {
    const phone = phones.pick(name);
    await phone.session.extend(minutes, signal);
    return `You have ${phone.title} for ${counted(phone.minutesLeft, 'more minute')}, until ${phone.session.expiresAt}.`;
  },
});

const endSession = tool({
  name: 'give_back',
  title: 'End a session',
  description:
    'Ends the session of a phone and wipes the phone, so save what you need from it first. Call it as ' +
    'soon as you are done.',
  input: fields(whichPhone),
  effect: ENDS,
  run: async ({ phone: name }, { phones }) => {
    const phone = phones.pick(name);
    const minutes = await phones.endSession(phone);
    const recorded = phone.session.isRecorded
      ? ' It was recorded: call get_trajectory to read what happened.'
      : '';
    return `The session of ${phone.title} has ended; ${counted(minutes, 'minute')} charged.${recorded} ${describeHeldPhones(phones)}`;
  },
});

function describeHeldPhones({ held }: BorrowedPhones): string {
  return held.length === 0
    ? 'You have no other phone.'
    : `You still have ${held.map(({ title }) => title).join(', ')}.`;
}

export const BORROWING_TOOLS = [listPhones, borrowPhone, myPhones, usePhone, extend, endSession];
