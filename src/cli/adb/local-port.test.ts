import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { LocalPort } from './local-port.ts';

const within = { timeout: 60_000, interval: 20 };

test('opens no tunnel for idle connections and delays an adb server only briefly because of them', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  let tunnels = 0;
  server.on('connection', (socket) => {
    tunnels += 1;
    socket.on('message', (data: Buffer) => socket.send(data));
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const local = await LocalPort.open(`ws://127.0.0.1:${port}`, 0);
  const sockets: Socket[] = [];
  const open = async () => {
    const socket = connect(local.port, '127.0.0.1')
      .on('error', () => {})
      .resume();
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  for (let n = 0; n < 20; n++) await open();
  expect(tunnels).toBe(1);
  // At most eight connections may be pending
  await vi.waitFor(() => expect(sockets.filter(({ closed }) => closed).length).toBeGreaterThan(11), within);
  await vi.waitFor(async () => {
    const adb = await open();
    adb.write('CNXN');
    const [echo] = await once(adb, 'data', { signal: AbortSignal.timeout(1_000) });
    expect(String(echo)).toBe('CNXN');
  }, within);
  for (const socket of sockets) socket.destroy();
  await local[Symbol.asyncDispose]();
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
});
