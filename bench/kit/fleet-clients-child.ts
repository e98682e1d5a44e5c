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
  /** Connects answered with 40010. */
  refused: number;
}

interface Job {
  dueMs: number;
  run: (connection: HttpConnection, since: number) => Promise<void>;
}

async function ask(order: ClientsOrder): Promise<Asked> {
  const times = { list: [] as number[], connect: [] as number[], disconnect: [] as number[] };
  const result = { refused: 0 };
  const keyAt = (n: number) => order.keys[n % order.keys.length]!;
  const list =
    (n: number): Job['run'] =>
    async (connection, since) => {
      await succeed(connection, httpRequest('GET', '/v1/devices?page_size=10', keyAt(n)));
      times.list.push(performance.now() - since);
    };
  const pair =
    (n: number): Job['run'] =>
    async (connection, since) => {
      const phone = lightPhoneId(order.phones.first + ((n * STRIDE) % order.phones.count));
      const session = await succeed(
        connection,
        httpRequest('POST', `/v1/devices/${phone}/connect`, keyAt(n)),
      );
      if (session === null) {
        result.refused += 1;
        return;
      }
      times.connect.push(performance.now() - since);
      await delay(order.holdMs);
      const returned = performance.now();
      await succeed(connection, httpRequest('POST', `/v1/sessions/${session}/disconnect`, keyAt(n)));
      times.disconnect.push(performance.now() - returned);
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
  return { list: of(times.list), connect: of(times.connect), disconnect: of(times.disconnect), ...result };
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

/** The session's id, if it is one; null when the phone was not free. @throws Error on any other refusal */
async function succeed(connection: HttpConnection, request: string): Promise<string | null> {
  const { status, body } = await connection.ask(request);
  const { code, data } = JSON.parse(body.toString());
  if (code === 40010) return null;
  if (code !== 0) throw new Error(`${request.slice(0, 60)} was answered ${status}: ${body}`);
  return data.session_id ?? '';
}

answerParent({ ask });
