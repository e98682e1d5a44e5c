import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HeldCommands, type PhoneProspects } from './held-commands.ts';

let phone: PhoneProspects;
let held: HeldCommands;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  phone = { isConnected: false, linkUpSince: null };
  held = new HeldCommands(() => phone);
});
afterEach(() => vi.useRealTimers());

/** Records the outcome of a held command in `log`. */
function watched(log: string[], name: string, bytes = 10): void {
  held.hold(bytes).then(
    () => log.push(`${name} went`),
    (error: { code: number }) => log.push(`${name} ${error.code}`),
  );
}

test('commands go in their order when the phone is ready', async () => {
  const log: string[] = [];
  phone.isConnected = true;
  watched(log, 'one');
  watched(log, 'two');
  await vi.advanceTimersByTimeAsync(1_900);
  held.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(log).toEqual(['one went', 'two went']);
  expect(held.isEmpty).toBe(true);
});

test('a command is held for two seconds at the most', async () => {
  const log: string[] = [];
  phone.isConnected = true;
  watched(log, 'one');
  await vi.advanceTimersByTimeAsync(1_000);
  watched(log, 'two');
  await vi.advanceTimersByTimeAsync(1_010);
  expect(log).toEqual(['one -32003']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(log).toEqual(['one -32003', 'two -32003']);
});

test('one for a phone whose link is up and that does not stream is refused at once', async () => {
  const log: string[] = [];
  phone.linkUpSince = performance.now() - 10_000;
  watched(log, 'early');
  await vi.advanceTimersByTimeAsync(300);
  expect(log).toEqual(['early -32003']);
});

test('while the link is not up whether the phone streams is unknown, and soon known when it is', async () => {
  const log: string[] = [];
  watched(log, 'one');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(log).toEqual([]);
  phone.linkUpSince = performance.now();
  held.look();
  await vi.advanceTimersByTimeAsync(300);
  expect(log).toEqual(['one -32003']);
});

test('so many are held, and so many bytes', () => {
  phone.isConnected = true;
  for (let at = 0; at < 64; at += 1) void held.hold(1).catch(() => {});
  expect(() => held.hold(1)).toThrow('too many commands');
  held.drop('the client has gone');
  void held.hold(256 * 1024).catch(() => {});
  expect(() => held.hold(1)).toThrow('too many commands');
  held.drop('the client has gone');
});
