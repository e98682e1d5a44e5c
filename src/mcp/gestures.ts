import { setTimeout as delay } from 'node:timers/promises';
import type { PhoneSession } from '../client/phone-session.ts';

/** Interval between two positions of a moving finger, ms. A gesture has at most `MAX_STEPS` of them. */
const STEP_MS = 40;
const MAX_STEPS = 40;

export interface Point {
  x: number;
  y: number;
}

/** The straight path of one finger. */
export interface Path {
  from: Point;
  to: Point;
}

/**
 * Moves one or several fingers at once: they are put down, held for `holdMs`, moved for `ms` and lifted. Fingers that
 * are down when the gesture fails are cancelled, so that none keeps pressing.
 */
export async function moveFingers(
  session: PhoneSession,
  paths: readonly Path[],
  { holdMs = 0, ms, signal }: { holdMs?: number; ms: number; signal: AbortSignal },
): Promise<void> {
  const down: number[] = [];
  const send = (action: 'down' | 'move' | 'up', share: number) =>
    Promise.all(
      paths.map((path, pointer) => session.touch({ action, pointer, ...at(path, share) }, { signal })),
    );
  try {
    for (const [pointer, { from }] of paths.entries()) {
      down.push(pointer);
      await session.touch({ action: 'down', pointer, ...from }, { signal });
    }
    await delay(holdMs, undefined, { signal });
    const steps = Math.max(2, Math.min(MAX_STEPS, Math.round(ms / STEP_MS)));
    const startedAt = performance.now();
    for (let step = 1; step <= steps; step += 1) {
      await send('move', step / steps);
      const left = startedAt + (step / steps) * ms - performance.now();
      if (left > 0) await delay(left, undefined, { signal });
    }
    await send('up', 1);
  } catch (error) {
    for (const pointer of down)
      session.touch({ action: 'cancel', pointer, ...at(paths[pointer]!, 1) }).catch(() => {});
    throw error;
  }
}

const at = ({ from, to }: Path, share: number): Point => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
});
