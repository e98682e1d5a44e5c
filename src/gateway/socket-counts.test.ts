import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Bus } from '../bus/bus.ts';
import type { BusMessages } from '../bus/messages.ts';
import { SocketCounts } from './socket-counts.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Two processes that exchange their counts once a second, and the messages that they publish. */
function twoProcesses(limit: number) {
  const published: BusMessages['sockets.open'][] = [];
  const listeners = new Set<(message: BusMessages['sockets.open']) => void>();
  const bus = {
    publish: (_: string, message: BusMessages['sockets.open']) => {
      published.push(message);
      for (const listener of listeners) listener(message);
    },
    subscribe: (_: string, listener: (message: BusMessages['sockets.open']) => void) => {
      listeners.add(listener);
      return { close: () => listeners.delete(listener) };
    },
  } as unknown as Bus;
  const processes = [new SocketCounts({ bus, limit }), new SocketCounts({ bus, limit })] as const;
  return {
    published,
    processes,
    close: () => processes.forEach((process) => void process[Symbol.dispose]()),
  };
}

test('limits the sockets of an account across all processes', () => {
  const { processes, close } = twoProcesses(3);
  const [here, there] = processes;
  const release = here.reserve('acc_1')!;
  here.reserve('acc_1');
  vi.advanceTimersByTime(1_000);
  expect(there.reserve('acc_1')).not.toBeNull();
  expect(there.reserve('acc_1')).toBeNull();
  expect(there.reserve('acc_2')).not.toBeNull();
  vi.advanceTimersByTime(1_000);
  expect(here.reserve('acc_1')).toBeNull();
  release();
  release();
  vi.advanceTimersByTime(1_000);
  expect(there.reserve('acc_1')).not.toBeNull();
  expect(there.reserve('acc_1')).toBeNull();
  close();
});

test('counts the sockets of a silent process for five seconds', () => {
  const { processes, close } = twoProcesses(1);
  const [here, there] = processes;
  here.reserve('acc_1');
  vi.advanceTimersByTime(1_000);
  here[Symbol.dispose]();
  vi.advanceTimersByTime(4_999);
  expect(there.reserve('acc_1')).toBeNull();
  vi.advanceTimersByTime(1);
  expect(there.reserve('acc_1')).not.toBeNull();
  close();
});

test('publishes a count of zero once', () => {
  const { published, processes, close } = twoProcesses(1);
  vi.advanceTimersByTime(3_000);
  expect(published).toEqual([]);
  const release = processes[0].reserve('acc_1')!;
  vi.advanceTimersByTime(1_000);
  release();
  vi.advanceTimersByTime(5_000);
  expect(published.map(({ open }) => open)).toEqual([[{ accountId: 'acc_1', count: 1 }], []]);
  close();
});
