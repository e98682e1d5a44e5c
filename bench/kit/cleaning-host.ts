import { ReportPlan } from '../../src/agent/report-plan.ts';
import type { Bus } from '../../src/bus/bus.ts';
import { phoneReport } from './shelf.ts';

const REPORT_TIMEOUT_MS = 10_000;
/** The interval of an agent's heartbeats. It determines how often a report names all phones. */
const HEARTBEAT_MS = 2_000;

/**
 * A host that cleans its phones instantly. When a session ends, it reports the phones that changed, as an agent does. A
 * session that ends while a report is pending is included in the next report.
 */
export function cleaningHost(bus: Bus, id: string, firstPhone: number, count: number): void {
  const phones = new Map(
    Array.from({ length: count }, (_, n) => {
      const report = phoneReport(firstPhone + n);
      return [report.description.id, report];
    }),
  );
  const plan = new ReportPlan({ heartbeatMs: HEARTBEAT_MS });
  let due = false;
  let reporting = false;
  const sendReports = async () => {
    due = true;
    if (reporting) return;
    reporting = true;
    while (due) {
      due = false;
      const { report, onAccepted } = plan.next(
        [...phones.values()].map((status) => ({ status, isSettled: true })),
      );
      const message = { hostName: 'shelf', ...report };
      await bus.request('control-plane.report', id, message, { timeoutMs: REPORT_TIMEOUT_MS });
      onAccepted();
    }
    reporting = false;
  };
  bus.serve('host.orders', id, async ({ orders }) => {
    for (const { deviceId, epoch, lease } of orders) {
      const phone = phones.get(deviceId);
      if (lease || !phone) continue;
      phone.cleanEpoch = epoch;
      void sendReports();
    }
    return {};
  });
}
