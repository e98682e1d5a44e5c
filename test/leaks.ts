import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { loggedSecrets } from './fixtures/secret-watch.ts';
import { keptOpenHandles } from './kept-open.ts';

/** Kinds of handle that keep a process alive and that the code that opened them must close. */
const OWNED = new Set([
  'FSEventWrap',
  'PipeWrap',
  'ProcessWrap',
  'StatWatcher',
  'TCPServerWrap',
  'TCPSocketWrap',
  'TLSWrap',
  'Timeout',
  'UDPWrap',
  'Worker',
]);

const SETTLE_MS = 60_000;

// Opens the process's own streams before the count. They open on first access and are never closed.
void [process.stdin, process.stdout, process.stderr];
const before = countOpen();

// Registered before all hooks of the test file, so it runs after all of them.
afterAll(async () => {
  const deadline = performance.now() + SETTLE_MS;
  let leaked = newSince(before);
  while (leaked.length > 0 && performance.now() < deadline) {
    await delay(20, undefined, { ref: false });
    leaked = newSince(before);
  }
  if (loggedSecrets().length > 0) throw new Error(`secrets were logged:\n${loggedSecrets().join('\n')}`);
  if (leaked.length > 0) throw new Error(`not closed at the end of this file: ${leaked.join(', ')}`);
}, SETTLE_MS * 2);

function countOpen(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (OWNED.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  for (const kind of keptOpenHandles()) counts.set(kind, (counts.get(kind) ?? 0) - 1);
  return counts;
}

function newSince(earlier: Map<string, number>): string[] {
  return [...countOpen()]
    .map(([kind, count]) => ({ kind, more: count - (earlier.get(kind) ?? 0) }))
    .filter(({ more }) => more > 0)
    .map(({ kind, more }) => `${more} × ${kind}`);
}
