import { randomUUID } from 'node:crypto';
import type { Bus } from '../../bus/bus.ts';
import { MAX_SHARED_USES } from '../../bus/messages.ts';
import type { RequestLimits } from './request-limits.ts';

/**
 * Interval at which a process reports its admitted requests to the others. Over any period, all processes together
 * admit at most the subject's rate times that period, plus one burst per process (docs/decisions/018-rate-limits.md).
 */
const SHARE_MS = 250;

/**
 * Shares use with the other processes, so that the limits hold for all of them together. While the bus is down, each
 * process enforces the limits alone.
 */
export class SharedUse implements Disposable {
  private readonly close: () => void;

  constructor(
    limits: Pick<RequestLimits, 'drain' | 'spend'>,
    bus: Bus,
    { everyMs = SHARE_MS }: { everyMs?: number } = {},
  ) {
    const from = `proc_${randomUUID()}`;
    const subscription = bus.subscribe('requests.used', (message) => {
      if (message.from !== from) limits.spend(message.uses);
    });
    const timer = setInterval(() => {
      const uses = limits.drain(MAX_SHARED_USES);
      if (uses.length > 0) bus.publish('requests.used', { from, uses });
    }, everyMs);
    this.close = () => {
      clearInterval(timer);
      subscription.close();
    };
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
