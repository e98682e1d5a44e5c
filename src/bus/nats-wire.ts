import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { oneLine } from '../util/one-line.ts';
import { BusError } from './bus.ts';
import { type BusMessages, type BusRequests, REQUESTS, TOPICS } from './messages.ts';

// A NATS message is JSON in UTF-8: the message of a topic, the body of a request, or a response, which is either
// {"answer": …} or {"error": "what went wrong"}.

/** Maximum length of an error. A host's error appears in logs and in responses to clients. */
const MAX_ERROR = 500;

const UNREADABLE = Symbol('unreadable');
const compiled = new Map<TSchema, Validator>();

export const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** null: the data does not match the schema of the topic. */
export function readMessage<T extends keyof BusMessages>(topic: T, data: Uint8Array): BusMessages[T] | null {
  const message = parse(data);
  return fits(TOPICS[topic], message) ? (message as BusMessages[T]) : null;
}

/** null: the data does not match the schema of the request. */
export function readRequest<R extends keyof BusRequests>(
  name: R,
  data: Uint8Array,
): BusRequests[R]['request'] | null {
  const request = parse(data);
  return fits(REQUESTS[name].request, request) ? (request as BusRequests[R]['request']) : null;
}

/** @throws BusError `failed` when the server responded with an error or with malformed data */
export function readResponse<R extends keyof BusRequests>(
  name: R,
  data: Uint8Array,
): BusRequests[R]['response'] {
  const reply = parse(data);
  if (typeof reply === 'object' && reply !== null) {
    if ('error' in reply && typeof reply.error === 'string')
      throw new BusError('failed', oneLine(reply.error, MAX_ERROR));
    if ('answer' in reply && fits(REQUESTS[name].response, reply.answer)) {
      return reply.answer as BusRequests[R]['response'];
    }
  }
  throw new BusError('failed', `the reply to ${name} has an unexpected format`);
}

function parse(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch {
    return UNREADABLE;
  }
}

function fits(schema: TSchema, value: unknown): boolean {
  let validator = compiled.get(schema);
  if (!validator) {
    validator = Compile(schema);
    compiled.set(schema, validator);
  }
  return validator.Check(value);
}
