import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from '../phone.ts';
import { readScreen, type Screen } from './screen.ts';
import { sourceOf } from './source.ts';

const POLL_MS = 100;
/** A list comes to rest in about a second. A phone on which one look takes longer waits until then by itself. */
const MAX_SETTLE_MS = 2_000;

/** Reads the screen when it has stopped moving, or after `MAX_SETTLE_MS`. A tap on a moving list only stops it. */
export async function readSettledScreen({
  phone,
  signal,
}: Pick<Command, 'phone' | 'signal'>): Promise<Screen> {
  const until = performance.now() + MAX_SETTLE_MS;
  let screen = await readScreen(phone);
  for (let before = ''; performance.now() < until; ) {
    const now = sourceOf(screen);
    if (now === before) break;
    before = now;
    await delay(POLL_MS, undefined, { signal });
    screen = await readScreen(phone);
  }
  return screen;
}
