import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { MAX_APPIUM_RESPONSE_BYTES } from '../../bus/messages.ts';
import { sanitiseText } from '../../control-plane/hosts/sanitise.ts';
import { withDeadline } from '../../util/deadline.ts';
import { WebDriverError } from '../../webdriver/protocol/errors.ts';
import { isObject, type JsonObject } from '../../webdriver/protocol/values.ts';
import type { PhoneCalls } from './phone-calls.ts';

const deflate = promisify(deflateRaw);

/** The identifier of a session at Appium becomes part of a path. */
export const APPIUM_SESSION = /^[\w-]{1,100}$/;
const ERROR_NAME = /^[a-z ]{1,60}$/;
const END_MS = 15_000;

export interface AppiumCall {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: unknown;
}

/** An error that a driver of Appium reported. Its name may be one that the built-in driver does not have. */
export class AppiumFailure extends WebDriverError {
  readonly reported: string;

  /** @param name the error of the driver */
  constructor(name: string, message: string, status: number) {
    super('unknown error', message, { status });
    this.reported = name;
  }
}

/** Sends a command to the Appium server of a session, and returns the value of its response. @throws WebDriverError */
export async function callAppium(
  calls: PhoneCalls,
  { method, path, body }: AppiumCall,
  signal: AbortSignal,
): Promise<unknown> {
  const id = randomBytes(12).toString('base64url');
  const packed = body === undefined ? undefined : (await deflate(JSON.stringify(body))).toString('base64');
  const parts: Buffer[] = [];
  let request: Parameters<PhoneCalls['appium']>[0] = {
    id,
    method,
    path,
    ...(packed !== undefined && { body: packed }),
  };
  for (let received = 0; ; ) {
    signal.throwIfAborted();
    const { isRunning, status = 500, bytes = 0, part = '' } = await calls.appium(request);
    request = { id, offset: received };
    if (isRunning) continue;
    const chunk = Buffer.from(part, 'base64');
    parts.push(chunk);
    received += chunk.length;
    if (received >= bytes) return readValue(status, Buffer.concat(parts));
    // A host is another machine, and could send more.
    if (chunk.length === 0 || received > MAX_APPIUM_RESPONSE_BYTES)
      throw new WebDriverError('unknown error', 'the response of Appium is incomplete or too large');
    request = { id, offset: received };
  }
}

function readValue(status: number, bytes: Buffer): unknown {
  const answer = parse(bytes);
  if (!isObject(answer) || !('value' in answer))
    throw new WebDriverError('unknown error', 'the response of Appium is not one of WebDriver');
  const { value } = answer;
  if (status < 400) return value;
  const { error, message } = isObject(value) ? value : ({} as JsonObject);
  const name = typeof error === 'string' && ERROR_NAME.test(error) ? error : 'unknown error';
  const text = typeof message === 'string' ? sanitiseText(message) : 'the driver of Appium reported an error';
  throw new AppiumFailure(name, text, Math.min(599, Math.floor(status)));
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

/** Starts a session at the Appium server of the phone's host. Returns its identifier and its capabilities. */
export async function startAppium(
  calls: PhoneCalls,
  capabilities: JsonObject,
  signal: AbortSignal,
): Promise<{ id: string; capabilities: JsonObject }> {
  const created = await callAppium(
    calls,
    { method: 'POST', path: '/session', body: { capabilities } },
    signal,
  ).catch((error: unknown) => {
    throw error instanceof WebDriverError ? new WebDriverError('session not created', error.message) : error;
  });
  const { sessionId, capabilities: given } = isObject(created) ? created : ({} as JsonObject);
  if (typeof sessionId === 'string' && APPIUM_SESSION.test(sessionId))
    return { id: sessionId, capabilities: isObject(given) ? given : {} };
  throw new WebDriverError('session not created', 'the response of Appium has no session');
}

/** Lets the driver remove what it left on the phone. The host ends the server in any case. */
export async function endAppium(calls: PhoneCalls, id: string): Promise<void> {
  const ending = AbortSignal.timeout(END_MS);
  const ended = callAppium(calls, { method: 'DELETE', path: `/session/${id}` }, ending);
  await withDeadline(ended, END_MS, 'the session at Appium did not end').catch(() => {});
}
