import { randomBytes } from 'node:crypto';
import { type BusMessages, type BusRequests, hasOneResponder } from './messages.ts';

/**
 * The subject of each request; `{host}` is the address. A host may publish under `phonebooth.from.` with its own id,
 * subscribe under `phonebooth.to.` with its own id, and nothing else (nats-users.ts). The server thereby
 * authenticates the sender.
 */
const REQUEST_SUBJECTS: Record<keyof BusRequests, string> = {
  'control-plane.report': 'phonebooth.from.{host}.report',
  'control-plane.ended': 'phonebooth.from.{host}.ended',
  'control-plane.app': 'phonebooth.from.{host}.app',
  'control-plane.artifact': 'phonebooth.from.{host}.artifact',
  'control-plane.recorded': 'phonebooth.from.{host}.recorded',
  'host.orders': 'phonebooth.to.{host}.orders',
  'host.dial': 'phonebooth.to.{host}.dial',
  'host.call': 'phonebooth.to.{host}.call',
};

const INBOX = 'phonebooth.inbox';
const CONTROL_INBOX = `${INBOX}.control`;
const hostInbox = (hostId: string) => `${INBOX}.host.${hostId}`;

/**
 * `address` may be ANY_ADDRESS, which is also the NATS wildcard for one token; any other address has been validated.
 */
export const requestSubject = (name: keyof BusRequests, address: string) =>
  REQUEST_SUBJECTS[name].replace('{host}', address);

/** The address to which a request was sent, from its subject. */
export const addressIn = (subject: string) => subject.split('.')[2]!;

/**
 * NATS delivers a message to one member of a queue group. The processes of the control plane share a group. A host
 * has none: after a network failure the server may still hold the dead connection of the host beside the new one, and
 * a group would send every other request to the dead one. Without a group both get each request, and the live one
 * responds.
 */
export const queueGroup = (name: keyof BusRequests) => (hasOneResponder(name) ? undefined : 'control-plane');

export const topicSubject = (topic: keyof BusMessages) => `phonebooth.told.${topic}`;

/** 128 random bits, so that neither an inbox nor the token of a request can be guessed from others. */
export const randomToken = () => randomBytes(16).toString('base64url');
const TOKENS = /^[\w-]{22}\.[\w-]{22}$/;

/**
 * The subject of the response to a request. Responses to a host arrive under the inbox of that host, responses to the
 * control plane under the inbox of the control plane. `address` may be ANY_ADDRESS, to subscribe to the responses of
 * all addresses.
 */
export const inboxSubject = (name: keyof BusRequests, address: string, inbox: string, token: string) =>
  `${hasOneResponder(name) ? CONTROL_INBOX : hostInbox(address)}.${inbox}.${token}`;

/**
 * Whether a response may be sent to this subject. NATS lets a sender name any reply subject, and the response is
 * published with the permissions of the process that responds. Without this check a host could make the control plane
 * publish to another host, or answer requests of the control plane that were meant for another host.
 */
export function isReplySubjectOf(reply: string, name: keyof BusRequests, address: string): boolean {
  const prefix = `${hasOneResponder(name) ? CONTROL_INBOX : hostInbox(address)}.`;
  return reply.startsWith(prefix) && TOKENS.test(reply.slice(prefix.length));
}

/**
 * NATS permissions of the processes of the control plane, including gateways. A process that runs all roles is a host
 * as well.
 */
export const CONTROL_PLANE_PERMISSIONS = {
  publish: ['phonebooth.to.*.*', 'phonebooth.from.*.*', 'phonebooth.told.>'],
  subscribe: [
    'phonebooth.from.*.*',
    'phonebooth.to.*.*',
    'phonebooth.told.>',
    `${CONTROL_INBOX}.*.*`,
    // For a process that also runs a host.
    `${hostInbox('*')}.*.*`,
  ],
};

/** NATS permissions of one host. */
export const hostPermissions = (hostId: string) => ({
  publish: [`phonebooth.from.${hostId}.*`],
  subscribe: [`phonebooth.to.${hostId}.*`, `${hostInbox(hostId)}.*.*`],
});
