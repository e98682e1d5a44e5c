import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { silentLog } from '../../../util/log.ts';
import { type TrackedDevice, trackDevices } from './device-tracker.ts';

const LINE = 'emulator-5554          device product:sdk model:Pixel transport_id:7\n';
const OFFLINE = LINE.replace('device ', 'offline ');

const lengthPrefixed = (text: string) => text.length.toString(16).padStart(4, '0') + text;

test('passes the list of the adb server on only when it has changed', async () => {
  const polled = [LINE, OFFLINE];
  await using server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (request) => {
      const list = request.includes('track-devices') ? LINE : (polled.shift() ?? OFFLINE);
      socket.write(`OKAY${lengthPrefixed(list)}`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const changed = Promise.withResolvers<void>();
  const lists: (TrackedDevice[] | null)[] = [];
  const stop = new AbortController();
  const onDevices = (devices: TrackedDevice[] | null) => {
    lists.push(devices);
    if (devices?.[0]?.state === 'offline') changed.resolve();
  };
  const address = { host: '127.0.0.1', port };
  const tracking = trackDevices(
    { address, log: silentLog, onDevices, reviveServer: async () => {} },
    stop.signal,
  );
  await changed.promise;
  stop.abort();
  await tracking;
  expect(lists.map((devices) => devices?.map(({ state }) => state))).toEqual([['device'], ['offline']]);
  expect(polled).toEqual([]);
});
