import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startNats } from '../fixtures/nats.ts';
import { suspend } from '../fixtures/suspend.ts';
import { connectBus, roundTrip } from './nats-rig.ts';
import { changed } from './samples.ts';

const within = { timeout: 60_000, interval: 20 };

test('drops older messages of a subscriber that exceeds its limit, and counts them', async () => {
  await using server = await startNats();
  await using near = await connectBus(server);
  await using far = await connectBus(server, { maxPending: 3 });
  const got: string[] = [];
  far.subscribe('session.changed', ({ sessionId }) => got.push(sessionId));
  await roundTrip(far);
  const sent = Array.from({ length: 200 }, (_, n) => `s${n}`);
  for (const id of sent) near.publish('session.changed', changed(id));
  await vi.waitFor(() => expect(got.at(-1)).toBe('s199'), within);
  expect(far.counts.dropped).toBeGreaterThan(0);
  expect(far.counts.dropped + got.length).toBe(200);
  expect(got).toEqual(sent.filter((id) => got.includes(id)));
});

test('survives that the server disconnects a process that stops reading, without effect on other processes', async () => {
  await using server = await startNats('max_pending: 1MB\nwrite_deadline: "60s"');
  await using near = await connectBus(server);
  await using far = await connectBus(server);
  const got = new Set<string>();
  far.subscribe('session.changed', ({ sessionId }) => got.add(sessionId));
  const child = fork(join(import.meta.dirname, 'slow-bus-child.ts'), [server.url]);
  const received: string[] = [];
  child.on('message', (text: string) => received.push(text));
  try {
    await vi.waitFor(() => expect(received).toContain('ready'), within);
    await suspend(child);
    // Exceeds the combined capacity of both sockets' buffers and the server's buffer.
    for (let n = 0; n < 40; n++) {
      near.publish('session.changed', { ...changed(`s${n}`), ...{ filler: 'x'.repeat(900_000) } });
      await roundTrip(near);
      await vi.waitFor(() => expect(got.has(`s${n}`)).toBe(true), within);
    }
    expect(near.counts.unsent + far.counts.dropped).toBe(0);
    child.kill('SIGCONT');
    await vi.waitFor(() => expect(received).toContain('back'), within);
    expect(received).toContain('down');
    expect(received).not.toContain('s39');
    await vi.waitFor(() => {
      near.publish('session.changed', changed('fresh'));
      expect(received).toContain('fresh');
    }, within);
  } finally {
    await stop(child);
  }
});

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
