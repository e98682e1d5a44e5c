import { afterAll, beforeAll } from 'vitest';
import { startNats, type TestNats } from '../fixtures/nats.ts';
import { busSuite } from './bus-suite.ts';
import { connectBus, roundTrip } from './nats-rig.ts';

let server: TestNats;
beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server[Symbol.asyncDispose]());

busSuite('over NATS, between two processes', async () => {
  const [near, far] = await Promise.all([connectBus(server), connectBus(server)]);
  return { near, far, settled: () => roundTrip(near, far) };
});

busSuite('over NATS, within one process', async () => {
  const bus = await connectBus(server);
  return { near: bus, far: bus, settled: () => roundTrip(bus) };
});
