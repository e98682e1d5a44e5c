import { afterEach, expect, test, vi } from 'vitest';
import { InProcessBus } from '../bus/in-process.ts';
import { SocketCounts } from './socket-counts.ts';

const opened = new DisposableStack();
let bus: InProcessBus;
afterEach(async () => {
  opened.dispose();
  await bus[Symbol.asyncDispose]();
});

test('an account has so many sockets at all processes together, until one of them is heard no more', async () => {
  bus = new InProcessBus();
  let now = 0;
  const process = () => opened.use(new SocketCounts({ bus, limit: 3, now: () => now, everyMs: 5 }));
  const [here, there] = [process(), process()];
  const first = here.enter('acc_1');
  expect([first, here.enter('acc_1')].every(Boolean)).toBe(true);
  const places: (() => void)[] = [];
  await vi.waitFor(() => {
    const place = there.enter('acc_1');
    if (place) places.push(place);
    const isFull = there.enter('acc_1') === null;
    if (!isFull || places.length !== 1) {
      for (const leave of places.splice(0)) leave();
      throw new Error('it has not heard yet');
    }
  });
  expect(there.enter('acc_2')).not.toBeNull();
  await vi.waitFor(() => expect(here.enter('acc_1')).toBeNull());
  first!();
  first!();
  await vi.waitFor(() => expect(there.enter('acc_1')).not.toBeNull());
  here[Symbol.dispose]();
  now = 4_999;
  expect(there.enter('acc_1')).toBeNull();
  now = 5_000;
  expect(there.enter('acc_1')).not.toBeNull();
});
