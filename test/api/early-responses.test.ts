import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ApiRig, startApiRig } from './api-rig.ts';

/** More than the socket buffers of both ends hold. */
const BODY = Buffer.alloc(16 * 1024 * 1024, ' ');
const COMMIT_MS = 50;

let rig: ApiRig;
let keys: Record<'user' | 'viewer' | 'unknown', string>;
beforeAll(async () => {
  rig = await startApiRig();
  const [user, viewer] = [await rig.key(), await rig.key('viewers', 'viewer')];
  keys = { user: user.key, viewer: viewer.key, unknown: 'pb_unknown' };
  const { addAudit } = rig.store;
  vi.spyOn(rig.store, 'addAudit').mockImplementation(async (entries) => {
    await delay(COMMIT_MS);
    return addAudit(entries);
  });
});
afterAll(() => rig[Symbol.asyncDispose]());

/** Sends the whole body before it reads any of the response, as many HTTP clients do. */
async function send(line: string, headers: string[]): Promise<number> {
  const { port } = new URL(rig.baseUrl);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }).pause();
  try {
    const head = [
      `${line} HTTP/1.1`,
      'Host: localhost',
      ...headers,
      `Content-Length: ${BODY.length}`,
      '',
      '',
    ];
    socket.write(head.join('\r\n'));
    await new Promise<void>((resolve, reject) =>
      socket.write(BODY, (error) => (error ? reject(error) : resolve())),
    );
    // The server closes a connection that is kept alive when the client closes its end.
    socket.end();
    return Number((await text(socket)).split(' ')[1]);
  } finally {
    socket.destroy();
  }
}

const APP = 'Content-Type: application/octet-stream';
const JSON_BODY = 'Content-Type: application/json';
const UPLOAD = 'POST /v1/apps';
const PUSH = 'PUT /v1/sessions/none/files/content?path=a';
const CONNECT = 'POST /v1/devices/none/connect';

test.each(
  ['close', 'keep-alive'].flatMap((connection) =>
    (
      [
        [UPLOAD, 'user', APP, 413],
        [UPLOAD, 'unknown', APP, 401],
        [UPLOAD, 'viewer', APP, 403],
        [UPLOAD, 'user', 'Content-Type: text/plain', 415],
        [PUSH, 'user', APP, 413],
        [PUSH, 'unknown', APP, 401],
        [CONNECT, 'user', JSON_BODY, 413],
        [CONNECT, 'unknown', JSON_BODY, 401],
        ['GET /v1/devices/none', 'user', JSON_BODY, 404],
        ['POST /v1/none', 'user', JSON_BODY, 413],
      ] as const
    ).map((row) => [connection, ...row] as const),
  ),
)(
  'a client that sends its whole body first receives the error, with a slow store: %s, %s, key %s, %s, %i',
  async (connection, line, key, type, status) => {
    const headers = [`Connection: ${connection}`, `Authorization: Bearer ${keys[key]}`, type];
    expect(await send(line, headers)).toBe(status);
  },
);
