import type { Session } from '../black-box/kit/api.ts';
import {
  describe,
  type FinalAccount,
  type History,
  type Observation,
  type Operation,
  type Request,
  type SessionHistory,
} from './history.ts';
import { checkQuota } from './history-quota.ts';

const ENDED = 40013;
/**
 * Codes that each request may return. 40010: the phone is in use; 40011: insufficient quota; 40013: the session has
 * ended.
 */
const EXPECTED: Record<Request['do'], number[]> = {
  connect: [0, 40010, 40011],
  extend: [0, 40011, ENDED],
  disconnect: [0],
  read: [0],
  usage: [0],
};
const LATEST_END_MS = 5_000;
const RANK = { connecting: 0, connected: 1, disconnected: 2 };
const msOf = (time: string | null) => Date.parse(time ?? '');

/** Lists the violations in a history as text. The list is empty if the history is valid. */
export function checkHistory(history: History): string[] {
  const found = history.operations.flatMap(checkAnswer);
  const histories: SessionHistory[] = [];
  for (const account of history.accounts) {
    const operations = history.operations.filter((operation) => operation.account === account.name);
    const ownHistories = historiesOf(account, operations, found);
    histories.push(...ownHistories);
    found.push(...checkRepeats(operations), ...checkUnasked(ownHistories, operations));
    found.push(...checkQuota(account, ownHistories, operations));
  }
  found.push(
    ...histories.flatMap(checkSettlement),
    ...histories.flatMap(checkOrder),
    ...checkPhones(histories),
  );
  return found;
}

/** Builds the history of each of an account's sessions. Reports an acknowledged session without a row as lost. */
function historiesOf(account: FinalAccount, operations: Operation[], found: string[]): SessionHistory[] {
  const observations = Map.groupBy(operations.flatMap(observation), ({ operation, session }) =>
    session ? session.session_id : sessionIdOf(operation)!,
  );
  const rows = new Map(account.sessions.map((row) => [row.session_id, row]));
  for (const [id, [first]] of observations) {
    if (!rows.has(id)) found.push(`lost: ${describe(first!.operation)}, and there is no such session`);
  }
  return account.sessions.map((row) =>
    historyOf(account.name, row, operations, observations.get(row.session_id)),
  );
}

function historyOf(
  account: string,
  row: Session,
  operations: Operation[],
  observations: Observation[] = [],
): SessionHistory {
  const about = operations.filter((operation) => sessionIdOf(operation) === row.session_id);
  const extensions = about.flatMap(({ request, answer }) =>
    request.do === 'extend' && (answer?.code ?? 0) === 0
      ? [{ minutes: request.minutes, answeredAt: answer?.at ?? null }]
      : [],
  );
  const connect = observations.find(({ operation }) => operation.request.do === 'connect')?.operation.request;
  const baseMinutes = connect?.do === 'connect' ? connect.minutes : row.minutes_reserved;
  const releases = about.filter(({ request }) => request.do === 'disconnect').map(({ calledAt }) => calledAt);
  const live = observations.filter(({ session }) => session && session.status !== 'disconnected');
  const from = Math.min(...observations.map(({ at }) => at));
  const until =
    row.end_reason === 'client'
      ? Math.min(...releases)
      : Math.max(...live.map(({ operation }) => operation.calledAt));
  const held = until > from ? { from, until } : null;
  return { account, row, observations, baseMinutes, extensions, held, wasReleased: releases.length > 0 };
}

function observation(operation: Operation): Observation[] {
  const { request, answer } = operation;
  if (!answer || request.do === 'usage') return [];
  if (answer.code === 0) return [{ operation, at: answer.at, session: answer.data as Session }];
  return answer.code === ENDED ? [{ operation, at: answer.at, session: null }] : [];
}

function sessionIdOf({ request, answer }: Operation): string | null {
  if ('sessionId' in request) return request.sessionId;
  return request.do === 'connect' && answer?.code === 0 ? (answer.data as Session).session_id : null;
}

function checkAnswer(operation: Operation): string[] {
  const { request, answer } = operation;
  if (!answer) return [];
  if (!EXPECTED[request.do].includes(answer.code)) return [`unexpected: ${describe(operation)}`];
  if (answer.code !== 0 || request.do === 'usage') return [];
  const { session_id, device_id, status } = answer.data as Session;
  const isWrong =
    ('sessionId' in request && session_id !== request.sessionId) ||
    (request.do === 'connect' && device_id !== request.deviceId) ||
    (request.do === 'disconnect' && status !== 'disconnected') ||
    (request.do === 'extend' && status === 'disconnected');
  return isWrong ? [`not what was requested: ${describe(operation)}`] : [];
}

/**
 * Checks that requests with the same key created one session, and that all responses after its acknowledgement
 * contain that session.
 */
function checkRepeats(operations: Operation[]): string[] {
  const found: string[] = [];
  const keyOf = ({ request }: Operation) => (request.do === 'connect' ? request.key : null);
  const owners = new Map<string, string | null>();
  for (const [key, repeats] of Map.groupBy(operations, keyOf)) {
    if (key === null) continue;
    const granted = repeats.filter(({ answer }) => answer?.code === 0);
    for (const one of granted) {
      const id = sessionIdOf(one)!;
      if (owners.has(id) && owners.get(id) !== key)
        found.push(`${id} was returned for two keys: ${describe(one)}`);
      owners.set(id, key);
      for (const { calledAt, answer, ...rest } of repeats) {
        const isLater = answer !== null && calledAt > one.answer!.at;
        const other = { calledAt, answer, ...rest };
        if (sessionIdOf(other) !== id && (isLater || answer?.code === 0))
          found.push(`one key, two answers: ${describe(one)}; ${describe(other)}`);
      }
    }
  }
  return found;
}

/**
 * Checks that every session that no response mentions was created by a connect without a response, and at most one
 * for each key.
 */
function checkUnasked(histories: SessionHistory[], operations: Operation[]): string[] {
  const acknowledged = new Set(
    operations.flatMap(({ request, answer }) =>
      request.do === 'connect' && answer?.code === 0 ? [request.key] : [],
    ),
  );
  const open = new Map<string, string>();
  for (const { request, answer } of operations) {
    if (request.do === 'connect' && !answer && !acknowledged.has(request.key))
      open.set(request.key, `${request.deviceId} ${request.minutes}`);
  }
  const found: string[] = [];
  for (const { row, observations } of histories) {
    if (observations.length > 0) continue;
    const wanted = `${row.device_id} ${row.minutes_reserved}`;
    const key = [...open].find(([, asked]) => asked === wanted)?.[0];
    if (key === undefined) found.push(`no request for session ${row.session_id} on ${row.device_id}`);
    else open.delete(key);
  }
  return found;
}

/** Checks that a session ended in time and was charged by its own times, and that it holds the requested minutes. */
function checkSettlement({ row, baseMinutes, extensions, wasReleased }: SessionHistory): string[] {
  const { session_id, status, connected_at, ended_at, expires_at, created_at, end_reason } = row;
  const { minutes_reserved: reserved, minutes_charged: charged } = row;
  if (status !== 'disconnected') return [`session ${session_id} has not ended`];
  const found: string[] = [];
  const report = (what: string) => found.push(`session ${session_id} ${what}: ${JSON.stringify(row)}`);
  const used = Math.max(1, Math.ceil((msOf(ended_at) - msOf(connected_at)) / 60_000));
  const due = connected_at === null ? 0 : Math.min(used, reserved);
  // A session on a lost host is charged only until the host was last seen
  const isSettled = end_reason === 'host_lost' ? charged !== null && charged <= due : charged === due;
  if (!isSettled) report(`has a wrong charge instead of ${due}`);
  const certain = extensions.filter(({ answeredAt }) => answeredAt !== null);
  const doubtful = extensions.filter(({ answeredAt }) => answeredAt === null);
  const least = certain.reduce((sum, { minutes }) => sum + minutes, baseMinutes);
  if (!sumsOf(doubtful.map(({ minutes }) => minutes)).has(reserved - least))
    report(`reserves other minutes than the ${least} that were acknowledged`);
  if (msOf(expires_at) - msOf(created_at) !== reserved * 60_000)
    report('has a length that differs from its minutes');
  if (msOf(ended_at) > msOf(expires_at) + LATEST_END_MS) report('ended late');
  if (end_reason === 'client' && !wasReleased) report('was disconnected without a request');
  if (end_reason === 'expired' && msOf(ended_at) < msOf(expires_at)) report('expired early');
  return found;
}

/** Returns the sums of all subsets of the values. */
function sumsOf(values: number[]): Set<number> {
  const sums = new Set([0]);
  for (const value of values) for (const sum of [...sums]) sums.add(sum + value);
  return sums;
}

/**
 * Checks that every later response and the row are consistent with earlier responses: a session's state only moves
 * forward.
 */
function checkOrder({ row, observations }: SessionHistory): string[] {
  const found: string[] = [];
  for (const earlier of observations) {
    for (const later of observations) {
      if (earlier.at >= later.operation.calledAt) continue;
      const { request } = later.operation;
      const added = request.do === 'extend' && later.session ? request.minutes : 0;
      const what = contradiction(earlier.session, later.session, added);
      if (what) found.push(`${what}: ${describe(earlier.operation)}; later ${describe(later.operation)}`);
    }
    const what = contradiction(earlier.session, row, 0);
    if (what) found.push(`lost (${what}): ${describe(earlier.operation)}; in the end ${JSON.stringify(row)}`);
  }
  return found;
}

function contradiction(earlier: Session | null, later: Session | null, added: number): string | null {
  if (!later) return null;
  // An expired session may appear as live until the reaper has ended it
  if (!earlier) return added > 0 ? 'an ended session was extended' : null;
  const same = (...fields: (keyof Session)[]) => fields.every((field) => earlier[field] === later[field]);
  if (!same('session_id', 'device_id', 'created_at')) return 'another session';
  if (RANK[later.status] < RANK[earlier.status]) return 'the status moved backwards';
  if (earlier.connected_at !== null && !same('connected_at')) return 'connected twice';
  if (later.minutes_reserved < earlier.minutes_reserved + added) return 'the number of minutes decreased';
  if (msOf(later.expires_at) < msOf(earlier.expires_at)) return 'the expiry moved backwards';
  const isOver = earlier.status === 'disconnected';
  if (isOver && !same('ended_at', 'end_reason', 'minutes_charged', 'minutes_reserved')) return 'ended twice';
  return null;
}

/**
 * Checks that no two sessions held a phone at the same time, according to the rows and to what clients held with
 * certainty.
 */
function checkPhones(histories: SessionHistory[]): string[] {
  const found: string[] = [];
  for (const [device, ofDevice] of Map.groupBy(histories, ({ row }) => row.device_id)) {
    for (const [index, one] of ofDevice.entries()) {
      for (const other of ofDevice.slice(index + 1)) {
        const inRows = msOf(one.row.created_at) < endOf(other) && msOf(other.row.created_at) < endOf(one);
        const held =
          one.held && other.held && one.held.from < other.held.until && other.held.from < one.held.until;
        if (inRows || held)
          found.push(`two sessions on phone ${device}: ${JSON.stringify([one.row, other.row])}`);
      }
    }
  }
  return found;
}

const endOf = ({ row }: SessionHistory) =>
  row.ended_at === null ? Number.POSITIVE_INFINITY : msOf(row.ended_at);
