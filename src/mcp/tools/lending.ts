import { Type } from 'typebox';
import type { Device } from '../../contract/device.ts';
import { MAX_WAIT_S } from '../../contract/queue.ts';
import type { Session } from '../../contract/session.ts';
import { DEFAULT_DURATION_MINUTES, HIGHEST_MAX_DURATION } from '../../contract/session.ts';
import type { BorrowedPhones } from '../borrowed-phones.ts';
import type { HeldPhone } from '../held-phone.ts';
import { ENDS, fields, LENDS, LOOKS, type ToolCall, tool, whichPhone } from '../tool.ts';
import { ToolError } from '../words.ts';

/** Phones that list_phones tells of; more than a model would read. */
const MOST_LISTED = 100;
/** What it takes to lend a phone once it is free, and to wait until it takes commands. */
const START_MS = 90_000;

const text = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));
const filters = {
  brand: text('Only this brand, such as "google"'),
  os_version: text('Only this OS version, such as "15"'),
};

const listPhones = tool({
  name: 'list_phones',
  title: 'List phones',
  description:
    'Lists the phones of this service, one a line: id, name, brand, OS version, resolution, and whether it is available or busy. Use it to choose a phone or to see why borrow_phone found none. To get one, call borrow_phone.',
  input: fields({
    ...filters,
    status: Type.Optional(Type.Enum(['available', 'busy'], { description: 'Only phones of this status' })),
  }),
  effect: LOOKS,
  run: async ({ brand, os_version, status }, { phones, signal }) => {
    const query = { brand, os_version, status, page: 1, page_size: MOST_LISTED };
    const { items, total } = await phones.service.api.listDevices(query, signal);
    if (total === 0) return 'No phone matches. Ask for fewer things at once.';
    const lines = items.map(lineOfDevice);
    if (total > items.length)
      lines.push(`(${total - items.length} more; narrow it down with brand or os_version)`);
    return lines.join('\n');
  },
});

const lineOfDevice = ({ id, name, brand, os_version, resolution, status }: Device) =>
  `${id}: ${name}, ${brand}, OS ${os_version}, ${resolution}, ${status}`;

const borrowPhone = tool({
  name: 'borrow_phone',
  title: 'Borrow a phone',
  description:
    'Borrows a phone, waits until it is ready, and answers its session id. Without arguments it takes any free phone. Everything else needs a borrowed phone, so this comes first. The phone is clean: no app or data of others is on it. It is given back when its minutes are over, when this connection ends, or by give_back: call that as soon as you are done, since others may wait for it. Next, call read_screen or look.',
  input: fields({
    id: text('This very phone, by its id in list_phones; fails when it is busy'),
    ...filters,
    model: text('Only this model code'),
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: HIGHEST_MAX_DURATION,
        default: DEFAULT_DURATION_MINUTES,
        description: 'For how long; extend can add to it later',
      }),
    ),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_S,
        default: 30,
        description: 'How long to queue for a phone when none is free; not with id',
      }),
    ),
    app_id: text('An uploaded app (see list_apps) to install at once'),
  }),
  effect: LENDS,
  deadlineMs: ({ wait_seconds = 0 }) => wait_seconds * 1000 + START_MS,
  run: async (args, call) => {
    const { phones, signal, tell } = call;
    const { id, brand, os_version, model, minutes: duration, wait_seconds: wait, app_id } = args;
    const phone = await phones.take(() => {
      if (id !== undefined) return phones.service.connect(id, { duration, app_id });
      const onQueued = ({ position, matching }: { position: number; matching: number }) =>
        tell(`Waiting for one of ${matching} phones, place ${position}`);
      return phones.service.borrow({ brand, os_version, model, duration, wait, app_id, signal, onQueued });
    });
    tell(`${phone.name} is starting`);
    await readyOrBack(phone, call);
    return `You hold ${phone.title} for ${duration} minutes. Call read_screen or look to see it, and give_back when you are done.`;
  },
});

/** A phone that nobody waits for any more, or that does not start, is not kept. */
async function readyOrBack(phone: HeldPhone, { phones, signal }: ToolCall): Promise<void> {
  const gone = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  gone.catch(() => {});
  try {
    await Promise.race([phone.session.ready, gone]);
  } catch (error) {
    if (phones.held.includes(phone)) await phones.giveBack(phone);
    throw error;
  }
}

const myPhones = tool({
  name: 'my_phones',
  title: 'Show my phones',
  description:
    'Lists the phones that you hold, with the minutes left, and other live sessions of this account, which somebody else may be using: look shows their screens, and use_phone takes control of one. Use it when you are not sure what you hold.',
  input: fields({}),
  effect: LOOKS,
  run: async (_, { phones, signal }) => {
    const { items } = await phones.service.api.listSessions({ page_size: 100 }, signal);
    const own = phones.held.map((phone) => `${phone.title}: ${phone.minutesLeft} minutes left`);
    const held = new Set(phones.held.map(({ session }) => session.id));
    const others = items.filter(
      ({ status, session_id }) => status !== 'disconnected' && !held.has(session_id),
    );
    const lines =
      own.length === 0 ? ['You hold no phone. Borrow one with borrow_phone.'] : ['You hold:', ...own];
    if (others.length > 0) lines.push('Other live sessions of this account:', ...others.map(lineOfSession));
    return lines.join('\n');
  },
});

const lineOfSession = ({ session_id, device_id, status, expires_at }: Session) =>
  `${session_id}: phone ${device_id}, ${status}, until ${expires_at}`;

const usePhone = tool({
  name: 'use_phone',
  title: 'Take control of a phone that is borrowed already',
  description:
    'Takes control of a live session of this account that was not begun here, such as a phone that the user has open in the console, or takes back one whose control somebody else took. Whoever had control of it loses it, so do it only when the user wants it. The phone stays lent when you go; give_back ends it all the same.',
  input: fields({
    session_id: Type.String({ minLength: 1, maxLength: 100, description: 'As my_phones shows it' }),
  }),
  effect: LENDS,
  run: async ({ session_id }, { phones, signal }) => {
    await refuseViewer(phones, signal);
    const before = phones.held.find(({ session }) => session.id === session_id);
    const { status } = await phones.service.api.getSession(session_id, signal);
    if (status === 'disconnected')
      throw new ToolError(`The session ${session_id} has ended. Call my_phones to see which are live.`);
    const phone = await phones.take(() => phones.service.attach(session_id), {
      isShared: before?.isShared ?? true,
    });
    await phone.session.ready;
    return `You control ${phone.title}, ${phone.minutesLeft} minutes left. Call read_screen or look to see it.`;
  },
});

/** To borrow is refused by the service; to take over has no operation that would. */
async function refuseViewer({ service }: BorrowedPhones, signal: AbortSignal): Promise<void> {
  const { items } = await service.api.listKeys({ page_size: 100 }, signal);
  if (items.find(({ current }) => current)?.role !== 'viewer') return;
  throw new ToolError(
    'This key may look, and do no more. Tell the user that this needs a key with the role user or admin.',
  );
}

const extend = tool({
  name: 'extend',
  title: 'Keep a phone for longer',
  description:
    'Adds minutes to the time of a phone that you hold. Call it when less time is left than you need: at its end the phone is taken away and wiped.',
  input: fields({
    ...whichPhone,
    minutes: Type.Integer({ minimum: 1, maximum: HIGHEST_MAX_DURATION, description: 'Minutes to add' }),
  }),
  effect: LENDS,
  run: async ({ phone: name, minutes }, { phones, signal }) => {
    const phone = phones.pick(name);
    await phone.session.extend(minutes, signal);
    return `${phone.title} is yours for ${phone.minutesLeft} more minutes, until ${phone.session.expiresAt}.`;
  },
});

const giveBack = tool({
  name: 'give_back',
  title: 'Give a phone back',
  description:
    'Ends your use of a phone. What you installed or wrote on it is wiped, so get what you need from it first. Call it as soon as you are done.',
  input: fields(whichPhone),
  effect: ENDS,
  run: async ({ phone: name }, { phones }) => {
    const phone = phones.pick(name);
    const minutes = await phones.giveBack(phone);
    return `${phone.title} is given back; ${minutes} minutes were charged. ${whatIsLeft(phones)}`;
  },
});

function whatIsLeft({ held }: BorrowedPhones): string {
  return held.length === 0
    ? 'You hold no other phone.'
    : `You still hold ${held.map(({ title }) => title).join(', ')}.`;
}

export const LENDING_TOOLS = [listPhones, borrowPhone, myPhones, usePhone, extend, giveBack];
