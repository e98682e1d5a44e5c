import type { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { BorrowedPhones } from './borrowed-phones.ts';

const MAX_PER_KEY = 20;
/** A share of `MAX_TOTAL`, so that the keys of one account leave room for other accounts. */
const MAX_PER_ACCOUNT = 200;
export const MAX_TOTAL = 1_000;
/** A session without a phone can be ended to make room for a new one when it has been idle for longer than this. */
const EVICTABLE_IDLE_MS = 60_000;

/** The client that sent the request. Its key was authenticated with this same request. */
export interface Caller {
  keyId: string;
  accountId: string;
  /** Secret API key. */
  key: string;
  /** Address of the client. */
  address: string;
}

/** The session of an AI agent over HTTP. */
export interface AgentSession {
  keyId: string;
  accountId: string;
  phones: BorrowedPhones;
  /**
   * Null where the protocol has no sessions (revision 2026-07-28). All calls of a key then share one `AgentSession`.
   */
  connection: { server: McpServer; transport: WebStandardStreamableHTTPServerTransport } | null;
  /** The client has an open stream for messages from the server. This only indicates that the client is alive. */
  isStreamOpen: boolean;
  /** When that stream broke, `performance.now()`; null if it did not break or a request has arrived since. */
  streamLostAt: number | null;
}

/**
 * Decides whether a caller may open one more session. If a limit is reached, the session that has been idle longest is
 * evicted, provided that it has no phone, no open event stream and no recent request. `reached` describes a limit that
 * cannot be made room under.
 */
export function checkLimits(
  sessions: ReadonlyMap<string, AgentSession>,
  { keyId, accountId }: Caller,
): 'allowed' | { evict: string } | { reached: string } {
  const limits = [
    { whose: 'this key has', most: MAX_PER_KEY, isOne: (one: AgentSession) => one.keyId === keyId },
    {
      whose: 'this account has',
      most: MAX_PER_ACCOUNT,
      isOne: (one: AgentSession) => one.accountId === accountId,
    },
    { whose: 'the service has', most: MAX_TOTAL, isOne: () => true },
  ];
  const counted = limits.map((limit) => ({
    ...limit,
    sessions: [...sessions].filter(([, session]) => limit.isOne(session)),
  }));
  const reached = counted.find((limit) => limit.sessions.length >= limit.most);
  if (!reached) return 'allowed';
  const [oldest] = reached.sessions
    .filter(([, { isStreamOpen }]) => !isStreamOpen)
    .filter(([, { phones }]) => !phones.isInUse && phones.idleMs > EVICTABLE_IDLE_MS)
    .toSorted(([, a], [, b]) => b.phones.idleMs - a.phones.idleMs);
  return oldest ? { evict: oldest[0] } : { reached: `${reached.whose} ${reached.most} open MCP sessions` };
}
