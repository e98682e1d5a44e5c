/** The clients of the HTTP benches, in a separate process. Each connection sends one request after another. */
import { lightPhoneId } from '../../test/fixtures/light-agents.ts';
import { answerParent } from './child.ts';
import { HttpConnection, httpRequest } from './http-connection.ts';
import { quantile } from './report.ts';
import { deviceId } from './shelf.ts';

interface Order {
  /** Port of one server, or ports of several servers among which the connections are distributed. */
  ports: number[];
  seconds: number;
  /** API keys. Each gets one connection. */
  keys: string[];
}

export interface GetOrder extends Order {
  /** Paths that each connection requests in turn. The connections start at different ones. */
  paths: string[];
}

export interface ConnectOrder extends Order {
  /** Range of the phones' indexes. Each connection has its own share of them and uses those in turn. */
  phones: { from: number; to: number };
  /** Which id scheme the phones use: the one of shelf.ts, or the one of light hosts. */
  of: 'shelf' | 'light hosts';
  /**
   * Whether phones are borrowed again after all have been used once. A connect may then be rejected while the phone
   * is cleaning.
   */
  again: boolean;
}

export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
  /** Connects answered with 40010. */
  refused: number;
}

type Step = (connection: HttpConnection, index: number) => Promise<boolean>;

/** Every connection repeats its step until the time is over. A step returns whether it counts. */
async function load({ ports, seconds, keys }: Order, step: Step): Promise<Load> {
  const connections = await Promise.all(
    keys.map((_, index) => HttpConnection.open(ports[index % ports.length]!)),
  );
  const times: number[] = [];
  let refused = 0;
  const start = performance.now();
  const end = start + seconds * 1000;
  try {
    const run = async (connection: HttpConnection, index: number) => {
      for (let before = performance.now(); before < end; ) {
        const counts = await step(connection, index);
        const after = performance.now();
        if (counts) times.push(after - before);
        else refused += 1;
        before = after;
      }
    };
    await Promise.all(connections.map(run));
  } finally {
    for (const connection of connections) connection.close();
  }
  const took = (performance.now() - start) / 1000;
  return { perSecond: times.length / took, p50: quantile(times, 0.5), p99: quantile(times, 0.99), refused };
}

async function get(order: GetOrder): Promise<Load> {
  const { keys, paths } = order;
  const requests = keys.map((key) => paths.map((path) => httpRequest('GET', path, key)));
  const turns = keys.map((_, index) => Math.floor((index * paths.length) / keys.length));
  return load(order, async (connection, index) => {
    const turn = turns[index]!++ % paths.length;
    const { status, body } = await connection.ask(requests[index]![turn]!);
    if (status !== 200) throw new Error(`${paths[turn]} answered ${status}: ${body}`);
    return true;
  });
}

async function connectAndDisconnect(order: ConnectOrder): Promise<Load> {
  const { from, to } = order.phones;
  const idOf = order.of === 'shelf' ? deviceId : lightPhoneId;
  const share = Math.floor((to - from) / order.keys.length);
  const taken = order.keys.map(() => 0);
  return load(order, async (connection, index) => {
    const turn = taken[index]!++;
    if (turn >= share && !order.again)
      throw new Error(`a share of ${share} phones for each connection is too small`);
    // The stride is coprime to the size of any share, so that consecutive requests do not use adjacent phones.
    const phone = from + index * share + ((turn * 7919) % share);
    return connectOnce(connection, order.keys[index]!, idOf(phone));
  });
}

/** Connects and disconnects. Returns false if the phone was not available. */
async function connectOnce(connection: HttpConnection, key: string, id: string): Promise<boolean> {
  const connected = await connection.ask(httpRequest('POST', `/v1/devices/${id}/connect`, key));
  const { code, data } = JSON.parse(connected.body.toString());
  if (code === 40010) return false;
  if (code !== 0) throw new Error(`connect answered ${connected.status}: ${connected.body}`);
  const path = `/v1/sessions/${data.session_id}/disconnect`;
  const ended = await connection.ask(httpRequest('POST', path, key));
  if (ended.status !== 200) throw new Error(`disconnect answered ${ended.status}: ${ended.body}`);
  return true;
}

answerParent({ get, connect: connectAndDisconnect });
