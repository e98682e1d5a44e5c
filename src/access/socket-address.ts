import type { SocketClaim, SocketPurpose } from './socket-token.ts';
import type { TokenKeys } from './token-keys.ts';

/** Public origins of the two socket hosts, `wss://…`. adb is served on the control host. */
export interface SocketOrigins {
  stream: string;
  control: string;
}

/** The origins and the keys with which socket addresses are built. */
export interface SocketAddressContext {
  /** Not to be called before the process listens: its ports may be any that are free. */
  origins: () => SocketOrigins;
  tokenKeys: Pick<TokenKeys, 'sign'>;
}

/**
 * Returns the address of one socket of a session: `<origin>/<purpose>/<token>/<session_id>`. It is bound to a grant (an
 * API key or a watch link) and is a secret of that grant.
 */
export function socketAddress({ origins, tokenKeys }: SocketAddressContext, claim: SocketClaim): string {
  const { purpose, sessionId } = claim;
  const origin = purpose === 'stream' ? origins().stream : origins().control;
  return `${origin}/${purpose}/${tokenKeys.sign(claim)}/${sessionId}`;
}

const SOCKET_PATH = /^\/(stream|control|adb)\/([A-Za-z0-9_.-]{1,128})\/([A-Za-z0-9_-]{1,128})$/;

/** Parses the path of a socket address; null if it is malformed. It does not verify the token. */
export function parseSocketPath(
  path: string,
): { purpose: SocketPurpose; token: string; sessionId: string } | null {
  const [, purpose, token, sessionId] = SOCKET_PATH.exec(path) ?? [];
  if (token === undefined || sessionId === undefined) return null;
  return { purpose: purpose as SocketPurpose, token, sessionId };
}

/**
 * Returns the first segment of a request path, which names the gateway that answers it: also a path that is not a valid
 * socket address, so that the answer can describe the expected format.
 */
export function firstSegmentOf(path: string): string {
  return /^\/(\w+)\//.exec(path)?.[1] ?? '';
}
