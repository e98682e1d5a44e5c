/**
 * Clients of a fleet, in a process of their own. They ask at times that are set beforehand, however slow the answers
 * are, and what an answer took is counted from the time at which it should have been asked for.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { lightPhoneId } from '../../test/fixtures/light-agents.ts';
import { answerParent } from './child.ts';
import { HttpConnection, httpRequest } from './http-connection.ts';
import { quantile } from './report.ts';

const CONNECTIONS = 32;
const NOT_AVAILABLE = 40010;
const OUT_OF_REACH = 50300;
/** Prime to any number of phones here: neighbours in time are no neighbours on a host. */
const STRIDE = 7919;

export interface ClientsOrder {
  port: number;
  keys: string[];
  seconds: number;
  lists: number;
  pairs: number;
  /** How long a pair keeps its phone, milliseconds. */
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
  /** Connects answered with 40010: the phone was not free. */
  refused: number;
  /** Requests answered with 50300: the store did not get to them in time. */
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
  /** Its data, and what it took; null when it was refused. */
  const send = async (connection: HttpConnection, request: string, since: number, took: number[]) => {
    const { code, data } = await answerTo(connection, request);
    if (code === NOT_AVAILABLE) counts.refused += 1;
    else if (code === OUT_OF_REACH) counts.unavailable += 1;
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

/** Each connection takes the next job that nobody has, and waits until it is due. */
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

/** @throws Error on any refusal but that of a phone that is not free and of a store that is out of reach */
async function answerTo(connection: HttpConnection, request: string) {
  const { status, body } = await connection.ask(request);
  const { code, data } = JSON.parse(body.toString());
  if (![0, NOT_AVAILABLE, OUT_OF_REACH].includes(code))
    throw new Error(`${request.slice(0, 60)} was answered ${status}: ${body}`);
  return { code, data };
}

answerParent({ ask });
