import { randomBytes } from 'node:crypto';
import type { BusMessages, BusRequests } from './messages.ts';

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

/** NATS gives a message to one member of a group, whichever of a group's subjects it matches. */
export const queueGroup = (name: keyof BusRequests) => name.split('.')[0]!;

export const topicSubject = (topic: keyof BusMessages) => `phonebooth.told.${topic}`;

/** A new place for answers, which no other process knows of. `hostId` null: of the control plane. */
export const newInbox = (hostId: string | null) =>
  `${hostId === null ? CONTROL_INBOX : hostInbox(hostId)}.${randomBytes(16).toString('base64url')}`;

/**
 * Whether an answer may go there. The server lets a sender name any subject for its answer, and the one who answers
 * publishes it with rights of its own: so a host could have the control plane speak to another host for it.
 */
export function mayAnswerAt(reply: string, name: keyof BusRequests, address: string): boolean {
  const ofHost = queueGroup(name) === 'control-plane' && reply.startsWith(`${hostInbox(address)}.`);
  return ofHost || reply.startsWith(`${CONTROL_INBOX}.`);
}

/** What the NATS server lets the control plane's processes do, gateways too. One that is everything is a host as well. */
export const CONTROL_PLANE_MAY = {
  publish: ['phonebooth.to.*.*', 'phonebooth.from.*.*', 'phonebooth.told.>'],
  subscribe: ['phonebooth.from.*.*', 'phonebooth.to.*.*', 'phonebooth.told.>', `${CONTROL_INBOX}.*.*`],
};

/** What it lets one host do. */
export const hostMay = (hostId: string) => ({
  publish: [`phonebooth.from.${hostId}.*`],
  subscribe: [`phonebooth.to.${hostId}.*`, `${hostInbox(hostId)}.*.*`],
});
