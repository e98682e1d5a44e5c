import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { type SocketPurpose, socketToken } from '../../../src/access/socket-token.ts';
import { TokenKeys } from '../../../src/access/token-keys.ts';
import { STREAM_SUBPROTOCOLS } from '../../../src/contract/sockets/stream-packets.ts';
import { UpgradeHandler } from '../../../src/gateway/upgrade-handler.ts';
import { clientAddress } from '../../../src/server/client-address.ts';
import { silentLog } from '../../../src/util/log.ts';
import { FakeStore } from '../../gateway/fake-store.ts';
import type { Target } from '../engine/target.ts';

const KEY = new Uint8Array(32).fill(9);
const ORIGIN = 'https://console.example';
const addressOf = clientAddress(['127.0.0.1', '10.0.0.0/8']);
const store = new FakeStore();
const { id, epoch } = store.add({ id: 's1' });
const ENDED = store.add({ id: 's2', status: 'disconnected', endReason: 'client' });
const tokenOf = (purpose: SocketPurpose, sessionId: string, leaseEpoch: number) =>
  socketToken(KEY, { purpose, sessionId, epoch: leaseEpoch, grantId: 'k1' });
const PATH = `/stream/${tokenOf('stream', id, epoch)}/${id}`;
const HEADERS = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];
const ask = (path: string, ...headers: string[]) => Buffer.from([path, ...HEADERS, ...headers].join('\n'));

/** Handles a WebSocket upgrade at a gateway: its address and its headers. */
export const target: Target = {
  seeds: () => [
    ask(PATH, `origin: ${ORIGIN}`, 'sec-websocket-protocol: scrcpy.v4'),
    ask(PATH, 'origin: https://elsewhere.example'),
    ask(PATH, 'sec-websocket-protocol: scrcpy.v9, scrcpy.v3'),
    ask(`/stream/${tokenOf('control', id, epoch)}/${id}`),
    ask(`/stream/${tokenOf('stream', ENDED.id, ENDED.epoch)}/${ENDED.id}`),
    ask('/stream/x/s3'),
    ask(PATH, 'x-forwarded-for: 203.0.113.7, 10.0.0.1'),
    ask('/'),
  ],
  run: async (input) => {
    const [url = '', ...lines] = input.toString('latin1').split('\n');
    const headers = Object.fromEntries(
      lines.map((line) => line.split(/: (.*)/s, 2)).filter(([name]) => name),
    );
    const complaints: unknown[] = [];
    let isIn = false;
    const door = new UpgradeHandler({
      purpose: 'stream',
      store,
      rules: { tokenKeys: TokenKeys.of(KEY), allowedOrigins: [ORIGIN], addressOf },
      log: { ...silentLog, error: (...words: unknown[]) => complaints.push(...words) },
      subprotocols: STREAM_SUBPROTOCOLS,
      maxPayload: 100,
      reserveSlot: () => ({
        accept: (socket) => {
          isIn = true;
          socket.terminate();
          return () => {};
        },
      }),
    });
    const socket = new AnswerSocket();
    const request = { method: 'GET', url, headers, socket } as unknown as IncomingMessage;
    await door.handleUpgrade(request, socket, Buffer.alloc(0));
    check(url, headers, socket.answer, isIn);
    if (complaints.length > 0) throw new Error(String(complaints[0]));
  },
};

function check(url: string, headers: Record<string, string>, answer: string, isIn: boolean): void {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  if (isIn !== (status === 101)) throw new Error(`accepted: ${isIn}, but answered with ${status}`);
  if (isIn && (url !== PATH || (headers.origin ?? ORIGIN) !== ORIGIN))
    throw new Error('an unauthenticated client was accepted');
  if (!isIn && !(status >= 400 && status < 500)) throw new Error(`unexpected answer ${answer.slice(0, 80)}`);
}

/** Records what the gateway sends. */
class AnswerSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  answer = '';

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.answer += chunk.toString('latin1');
    done();
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }
}
