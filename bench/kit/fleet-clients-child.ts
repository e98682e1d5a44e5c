/**
 * Clients of a fleet, in a separate process. Requests are scheduled in advance, independently of how slow the answers
 * are, and each latency is counted from the scheduled time of its request.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { lightPhoneId } from '../../test/fixtures/light-agents.ts';
import { answerParent } from './child.ts';
import { HttpConnection, httpRequest } from './http-connection.ts';
import { quantile } from './report.ts';

const CONNECTIONS = 32;
const NOT_AVAILABLE = 40010;
const UNAVAILABLE = 50300;
/** Coprime to every number of phones used here, so that consecutive requests go to phones of different hosts. */
const STRIDE = 7919;

export interface ClientsOrder {
  port: number;
  keys: string[];
  seconds: number;
  lists: number;
  pairs: number;
  /** Milliseconds from each connect to its disconnect. */
  holdMs: number;
  phones: { first: number; count: number };
}

export interface Times {
  n: number;
  p50: number;
  p99: number;
}

export interface Asked {
  list: Times;
  connect: Times;
  disconnect: Times;
  /** Connects answered with 40010: the phone was not available. */
  refused: number;
  /** Requests answered with 50300: the store did not handle them in time. */
  unavailable: number;
}

interface Job {
  dueMs: number;
  run: (connection: HttpConnection, since: number) => Promise<void>;
}

async function ask(order: ClientsOrder): Promise<Asked> {
  const times = { list: [] as number[], connect: [] as number[], disconnect: [] as number[] };
  const counts = { refused: 0, unavailable: 0 };
  const keyAt = (n: number) => order.keys[n % order.keys.length]!;
  /** Sends a request and records its latency. Returns the data of the answer, or null if the request was rejected. */
  const send = async (connection: HttpConnection, request: string, since: number, took: number[]) => {
    const { code, data } = await answerTo(connection, request);
    if (code === NOT_AVAILABLE) counts.refused += 1;
    else if (code === UNAVAILABLE) counts.unavailable += 1;
    else took.push(performance.now() - since);
    return code === 0 ? data : null;
  };
  const list =
    (n: number): Job['run'] =>
    async (connection, since) => {
      await send(connection, httpRequest('GET', '/v1/devices?page_size=10', keyAt(n)), since, times.list);
    };
  const pair =
    (n: number): Job['run'] =>
    async (connection, since) => {
      const phone = lightPhoneId(order.phones.first + ((n * STRIDE) % order.phones.count));
      const path = `/v1/devices/${phone}/connect`;
      const session = await send(connection, httpRequest('POST', path, keyAt(n)), since, times.connect);
      if (!session) return;
      await delay(order.holdMs);
      const end = httpRequest('POST', `/v1/sessions/${session.session_id}/disconnect`, keyAt(n));
      await send(connection, end, performance.now(), times.disconnect);
    };
  const spread = (count: number, run: (n: number) => Job['run']): Job[] =>
    Array.from({ length: count }, (_, n) => ({
      dueMs: ((n + 0.5) / count) * order.seconds * 1000,
      run: run(n),
    }));
  const jobs = [...spread(order.lists, list), ...spread(order.pairs, pair)];
  await perform(
    jobs.sort((a, b) => a.dueMs - b.dueMs),
    order.port,
  );
  const of = (values: number[]): Times => ({
    n: values.length,
    p50: quantile(values, 0.5),
    p99: quantile(values, 0.99),
  });
  return { list: of(times.list), connect: of(times.connect), disconnect: of(times.disconnect), ...counts };
}

/** Each connection takes the next unassigned job and waits until it is due. */
async function perform(jobs: readonly Job[], port: number): Promise<void> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => HttpConnection.open(port)));
  const start = performance.now();
  const queue = jobs.values();
  try {
    await Promise.all(
      connections.map(async (connection) => {
        for (const { dueMs, run } of queue) {
          await delay(Math.max(0, start + dueMs - performance.now()));
          await run(connection, start + dueMs);
        }
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** @throws Error on any error code except 40010 (the phone is not available) and 50300 (the store is unavailable) */
async function answerTo(connection: HttpConnection, request: string) {
  const { status, body } = await connection.ask(request);
  const { code, data } = JSON.parse(body.toString());
  if (![0, NOT_AVAILABLE, UNAVAILABLE].includes(code))
    throw new Error(`${request.slice(0, 60)} was answered ${status}: ${body}`);
  return { code, data };
}

answerParent({ ask });
