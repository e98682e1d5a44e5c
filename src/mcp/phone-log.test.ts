import { expect, test } from 'vitest';
import type { PhoneSession } from '../client/phone-session.ts';
import { crashedApp, PhoneLog } from './phone-log.ts';

async function startedLog() {
  const listeners = new Map<string, (params: unknown) => void>();
  const calls: string[] = [];
  const session = {
    call: async (method: string) => calls.push(method),
    on: (method: string, listener: (params: unknown) => void) => listeners.set(method, listener),
  };
  const log = new PhoneLog(session as unknown as PhoneSession);
  await log.start(new AbortController().signal);
  const write = (level: string, tag: string, ...messages: string[]) => {
    for (const message of messages)
      listeners.get('log.line')!({ time: '2026-01-01T00:00:00.000Z', level, tag, message });
  };
  return { log, write, calls, ready: () => listeners.get('session.ready')!({}) };
}

test('keeps the newest lines, each up to a maximum length', async () => {
  const { log, write } = await startedLog();
  for (let line = 0; line < 1_200; line += 1) write('I', 'App', `${line} ${'x'.repeat(1_000)}`);
  expect(log.lines).toHaveLength(1_000);
  expect(log.lines[0]!.message).toMatch(/^200 x{396}$/);
});

test('starts the log again after a lost connection', async () => {
  const { log, calls, ready } = await startedLog();
  await log.start(new AbortController().signal);
  ready();
  expect(calls).toEqual(['log.start', 'log.start']);
});

test('recognises an uncaught exception, an app that does not respond, and a native crash', async () => {
  const { log, write } = await startedLog();
  write('D', 'AndroidRuntime', 'Shutting down VM');
  write(
    ...(['E', 'AndroidRuntime', 'FATAL EXCEPTION: main', 'Process: com.example.shop, PID: 4242'] as const),
    ...['java.lang.IllegalStateException: no cart', '\tat com.example.shop.Cart.open(Cart.kt:12)'],
  );
  write('I', 'AndroidRuntime', 'VM exiting with result code 0');
  write(
    'E',
    'ActivityManager',
    'ANR in com.example.slow (com.example.slow/.Main)',
    'Reason: Input dispatching',
  );
  write('F', 'DEBUG', '*** *** *** ***', 'pid: 7, tid: 7, name: game  >>> com.example.game <<<', 'signal 11');
  expect(log.takeCrashes().map(crashedApp)).toEqual([
    'com.example.shop',
    'com.example.slow',
    'com.example.game',
  ]);
  expect(log.takeCrashes()).toEqual([]);
  expect(log.crashes[0]!.lines.map(({ message }) => message)).toEqual([
    'FATAL EXCEPTION: main',
    'Process: com.example.shop, PID: 4242',
    'java.lang.IllegalStateException: no cart',
    '\tat com.example.shop.Cart.open(Cart.kt:12)',
  ]);
});

test('keeps the newest crashes, each up to a maximum length', async () => {
  const { log, write } = await startedLog();
  for (let crash = 0; crash < 30; crash += 1)
    write('E', 'AndroidRuntime', 'FATAL EXCEPTION: main', ...Array<string>(100).fill('\tat somewhere'));
  expect(log.crashes).toHaveLength(10);
  expect(log.takeCrashes()).toHaveLength(10);
  expect(log.crashes[9]!.lines).toHaveLength(40);
});
