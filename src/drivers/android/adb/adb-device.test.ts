import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { AdbDevice } from './adb-device.ts';
import { AdbError } from './adb-socket.ts';

/** A phone of an adb server that accepts connections and never answers. */
async function silentPhone(): Promise<AdbDevice> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const device = new AdbDevice({ host: '127.0.0.1', port }, 'serial');
  device.update('device', 1n);
  return device;
}

test('reports a phone that opens no connection in time as an error of adb', async () => {
  const device = await silentPhone();
  const opening = device.open('shell,v2,raw:true', new AbortController().signal, { timeoutMs: 20 });
  await expect(opening).rejects.toThrow(new AdbError('the phone opened no connection within 0.02 s'));
});

test('rejects with the reason of the caller’s signal', async () => {
  const device = await silentPhone();
  const reason = new Error('the session ended');
  const opening = device.open('shell,v2,raw:true', AbortSignal.abort(reason));
  await expect(opening).rejects.toBe(reason);
});
