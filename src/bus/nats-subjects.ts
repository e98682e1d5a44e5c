import { randomBytes } from 'node:crypto';
import { type BusMessages, type BusRequests, hasOneResponder } from './messages.ts';

/**
 * Where each question travels; `{host}` is the address. A host may publish below `phonebooth.from.` with its own id,
 * subscribe below `phonebooth.to.` with its own id, and nothing else (nats-users.ts): the server vouches for the sender.
 */
const QUESTIONS: Record<keyof BusRequests, string> = {
  'control-plane.report': 'phonebooth.from.{host}.report',
  'control-plane.ended': 'phonebooth.from.{host}.ended',
  'control-plane.app': 'phonebooth.from.{host}.app',
  'host.orders': 'phonebooth.to.{host}.orders',
  'host.dial': 'phonebooth.to.{host}.dial',
};

const INBOX = 'phonebooth.inbox';
const CONTROL_INBOX = `${INBOX}.control`;
const hostInbox = (hostId: string) => `${INBOX}.host.${hostId}`;

/** `address` may be ANY_ADDRESS, which is NATS's own wildcard for one token; anything else has been checked. */
export const questionSubject = (name: keyof BusRequests, address: string) =>
  QUESTIONS[name].replace('{host}', address);

/** The address that a question was sent to, from its subject. */
export const addressIn = (subject: string) => subject.split('.')[2]!;

/**
 * NATS delivers a message to one member of a queue group. Processes of the control plane share the work in one. A host has
 * none: after a network failure the server may still hold the host's dead connection beside its new one, and a group
 * would send every other request to the dead one. Without a group both get each request, and the live one answers.
 */
export const queueGroup = (name: keyof BusRequests) => (hasOneResponder(name) ? undefined : 'control-plane');

export const topicSubject = (topic: keyof BusMessages) => `phonebooth.told.${topic}`;

/** 128 random bits: neither an inbox nor the token of one request can be guessed from others. */
export const randomToken = () => randomBytes(16).toString('base64url');
const TOKENS = /^[\w-]{22}\.[\w-]{22}$/;

/**
 * Where the answer to a question arrives: what a host asks is answered below the inboxes of that host, what the control
 * plane asks below its own. `address` may be ANY_ADDRESS, to subscribe to the answers of every address.
 */
export const inboxSubject = (name: keyof BusRequests, address: string, inbox: string, token: string) =>
  `${hasOneResponder(name) ? CONTROL_INBOX : hostInbox(address)}.${inbox}.${token}`;

/**
 * Whether an answer may go there. NATS lets a sender name any reply subject, and the answer is published with the
 * permissions of the process that answers: without this check a host could make the control plane publish to another
 * host, or answer requests of the control plane that were meant for another host.
 */
export function mayAnswerAt(reply: string, name: keyof BusRequests, address: string): boolean {
  const prefix = `${hasOneResponder(name) ? CONTROL_INBOX : hostInbox(address)}.`;
  return reply.startsWith(prefix) && TOKENS.test(reply.slice(prefix.length));
}

/** What the NATS server lets the control plane's processes do, gateways too. One that is everything is a host as well. */
export const CONTROL_PLANE_MAY = {
  publish: ['phonebooth.to.*.*', 'phonebooth.from.*.*', 'phonebooth.told.>'],
  subscribe: [
    'phonebooth.from.*.*',
    'phonebooth.to.*.*',
    'phonebooth.told.>',
    `${CONTROL_INBOX}.*.*`,
    // For a process that has a host of its own.
    `${hostInbox('*')}.*.*`,
  ],
};

/** What it lets one host do. */
export const hostMay = (hostId: string) => ({
  publish: [`phonebooth.from.${hostId}.*`],
  subscribe: [`phonebooth.to.${hostId}.*`, `${hostInbox(hostId)}.*.*`],
});
