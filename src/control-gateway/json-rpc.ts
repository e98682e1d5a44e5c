import { ERRORS, OUTAGE_MESSAGES } from '../contract/http/errors.ts';
import type { ControlNotification } from '../contract/sockets/control-notifications.ts';
import { RPC_ERRORS, type RpcErrorName } from '../contract/sockets/rpc-errors.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { TimeoutError } from '../util/deadline.ts';

/** Maximum number of calls in one batch. */
export const MAX_BATCH = 20;

export type RpcId = string | number | null;

/** A request, or a notification when it has no id. A notification gets no response, not even an error. */
export interface RpcCall {
  id: RpcId | undefined;
  method: string;
  params: unknown;
}

/** An error that is sent to the client as the response to its call. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: object | undefined;
  constructor(name: RpcErrorName, message: string, data?: object) {
    super(message);
    this.name = 'RpcError';
    this.code = RPC_ERRORS[name];
    this.data = data;
  }
}

/** Converts a thrown value to the error that is sent to the client. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof StoreUnavailableError) return unavailable(OUTAGE_MESSAGES[error.reason]);
  if (error instanceof TimeoutError) return unavailable(error.message);
  return new RpcError('internal', 'the gateway had an internal error; try again');
}

const unavailable = (message: string) =>
  new RpcError('failedOnPhone', message, { code: ERRORS.unavailable.code });

/**
 * Parses a JSON-RPC 2.0 message (jsonrpc.org/specification): a call, or a batch of them. An invalid call within a
 * batch is returned as the error to send in its place.
 * @throws RpcError when the text is not JSON, is not a call, or has too many calls.
 */
export function parseRpc(text: string): { isBatch: boolean; calls: (RpcCall | RpcError)[] } {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new RpcError('parse', 'the message is not JSON; a text message must be a JSON-RPC 2.0 call');
  }
  if (!Array.isArray(message)) {
    const call = readCall(message);
    if (call instanceof RpcError) throw call;
    return { isBatch: false, calls: [call] };
  }
  if (message.length === 0) throw new RpcError('invalidRequest', 'a batch must have at least one call');
  if (message.length > MAX_BATCH) {
    throw new RpcError(
      'invalidRequest',
      `a batch must have at most ${MAX_BATCH} calls, not ${message.length}`,
    );
  }
  return { isBatch: true, calls: message.map(readCall) };
}

function readCall(value: unknown): RpcCall | RpcError {
  if (typeof value !== 'object' || value === null)
    return invalid('a call must be an object such as {"jsonrpc":"2.0","id":1,"method":"session.ping"}');
  const { jsonrpc, id, method, params = {} } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"');
  if (typeof method !== 'string') return invalid('method must be a string');
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return invalid('id must be a string or a number');
  }
  return { id, method, params };
}

const invalid = (message: string) => new RpcError('invalidRequest', message);

export interface RpcResponse {
  jsonrpc: '2.0';
  id: RpcId;
  result?: unknown;
  error?: { code: number; message: string; data?: object };
}

export function resultOf(id: RpcId, result: unknown): RpcResponse {
  return { jsonrpc: '2.0', id, result: result ?? null };
}

/** `id` is null when it is unknown which call failed. */
export function errorOf(id: RpcId, { code, message, data }: RpcError): RpcResponse {
  return { jsonrpc: '2.0', id, error: data ? { code, message, data } : { code, message } };
}

export function encodeNotification({ method, params }: ControlNotification): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}
