import { randomUUID } from 'node:crypto';
import type { Bus } from '../../bus/bus.ts';
import { MAX_SHARED_USES } from '../../bus/messages.ts';
import type { RequestLimits } from './request-limits.ts';

/**
 * How often a process tells the others what it let through. What all of them let through of one subject in any stretch
 * of time is then at most its rate times that, and a burst of each process (docs/decisions/018-rate-limits.md).
 */
const SHARE_MS = 250;

/** Holds the limits together with the other processes, while the bus is up; each holds them alone while it is not. */
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
