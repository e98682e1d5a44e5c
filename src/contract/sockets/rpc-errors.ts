/** JSON-RPC 2.0 error codes, and this service's codes in the range that the standard reserves for servers. */
export const RPC_ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  unsupported: -32001,
  failedOnPhone: -32002,
  notConnected: -32003,
  tooFast: -32029,
} as const;
export type RpcErrorName = keyof typeof RPC_ERRORS;
