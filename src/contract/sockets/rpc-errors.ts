import { codesOf } from './codes-of.ts';

/**
 * JSON-RPC 2.0 error codes, and this service's codes in the range that the standard reserves for servers, each with
 * its meaning.
 */
export const RPC_ERROR_TABLE = {
  parse: { code: -32700, meaning: 'the message is not JSON' },
  invalidRequest: {
    code: -32600,
    meaning: 'the message is not a valid JSON-RPC 2.0 call, or the batch is empty or has more than 20 calls',
  },
  methodNotFound: { code: -32601, meaning: 'the method does not exist' },
  invalidParams: {
    code: -32602,
    meaning: 'a parameter is invalid; `data.errors` names it, as in the HTTP API',
  },
  internal: { code: -32603, meaning: 'the service failed, or cannot reach one of its components' },
  unsupported: { code: -32001, meaning: 'this phone does not support the method' },
  failedOnPhone: {
    code: -32002,
    meaning: 'the command failed on the phone or timed out; the message says why',
  },
  notConnected: {
    code: -32003,
    meaning: 'the phone does not accept commands yet, or another client has control',
  },
  tooFast: { code: -32029, meaning: 'too many messages or pending calls; slow down' },
} as const;
export type RpcErrorName = keyof typeof RPC_ERROR_TABLE;

/** The codes by name. */
export const RPC_ERRORS = codesOf(RPC_ERROR_TABLE);
