import { expect, test, vi } from 'vitest';
import { PhoneReconciler } from '../../src/agent/phone-reconciler.ts';
import type { PhoneOrder } from '../../src/bus/messages.ts';
import { silentLog } from '../../src/util/log.ts';
import { PauseWatch } from '../../src/util/pause-watch.ts';
import { noSteps } from '../../src/util/steps.ts';
import { AppSourceDouble, PhoneDouble } from './phone-double.ts';

const order = (epoch: number, sessionId: string | null): PhoneOrder => ({
  ...{ deviceId: 'phone-1', epoch, cleanEpoch: null },
  lease: sessionId === null ? null : { sessionId, epoch, remainingMs: 60_000, app: null },
});

test.each(Array.from({ length: 24 }, (_, at) => at))(
  'executes an order that arrives %i microtasks after the last step',
  async (microtasks) => {
    using pauses = new PauseWatch();
    const phone = new PhoneDouble();
    let isOrdered = false;
    const reconciler = new PhoneReconciler(phone, {
      ...{ log: silentLog, steps: noSteps, pauses, apps: new AppSourceDouble(), idleTimeoutMs: 0 },
      onEnded: () => {},
      expire: async () => null,
      // Called in the last step, which sets the epoch up to which the phone is clean.
      onChange: () => {
        if (isOrdered) return;
        isOrdered = true;
        let later = Promise.resolve();
        for (let at = 0; at < microtasks; at += 1) later = later.then(() => {});
        void later.then(() => reconciler.apply(order(1, 'ses_1')));
      },
    });
    reconciler.apply(order(0, null));
    await vi.waitFor(() => expect(phone.opened).toBe(1), { timeout: 60_000, interval: 2 });
    await reconciler.close();
  },
);
