import type { Bus } from '../../src/bus/bus.ts';
import { phoneReport } from './shelf.ts';

const REPORT_TIMEOUT_MS = 10_000;

/**
 * A host that cleans its phones in no time: at the end of a session it says so, as an agent does, with a report of
 * all its phones. What ends while a report is under way is in the next one.
 */
export function cleaningHost(bus: Bus, id: string, firstPhone: number, count: number): void {
  const phones = new Map(
    Array.from({ length: count }, (_, n) => {
      const report = phoneReport(firstPhone + n);
      return [report.description.id, report];
    }),
  );
  let due = false;
  let reporting = false;
  const report = async () => {
    due = true;
    if (reporting) return;
    reporting = true;
    while (due) {
      due = false;
      const message = { hostName: 'shelf', complete: true, phones: [...phones.values()] };
      await bus.request('control-plane.report', id, message, { timeoutMs: REPORT_TIMEOUT_MS });
    }
    reporting = false;
  };
  bus.serve('host.orders', id, async ({ orders }) => {
    for (const { deviceId, epoch, lease } of orders) {
      const phone = phones.get(deviceId);
      if (lease || !phone) continue;
      phone.cleanEpoch = epoch;
      void report();
    }
    return {};
  });
}
