import type { AgentCounters } from '../../agent/agent.ts';
import type { Bus } from '../../bus/bus.ts';
import type { AdbCounters } from '../../control-gateway/adb/adb-gateway.ts';
import type { ControlCounters } from '../../control-gateway/control-session.ts';
import type { McpCounters } from '../../mcp/http-sessions.ts';
import type { Store } from '../../store/store.ts';
import type { StreamCounters } from '../../stream-gateway/stream-gateway.ts';
import { withDeadline } from '../../util/deadline.ts';
import type { ComponentMetric, Metrics } from './metrics.ts';

export const CONNECTION_METRICS: readonly ComponentMetric<{ refused: number; pendingClosed: number }>[] = [
  metric(
    'refused',
    'counter',
    'phonebooth_connections_refused_total',
    'Connections closed because their address had too many open',
  ),
  metric(
    'pendingClosed',
    'counter',
    'phonebooth_connections_pending_closed_total',
    'Connections closed before their first request: too slow, or too many pending',
  ),
];

export const ADDRESS_LIMIT_METRICS: readonly ComponentMetric<{ refused: number }>[] = [
  metric(
    'refused',
    'counter',
    'phonebooth_requests_refused_total',
    'Requests and upgrades rejected because their address exceeded its rate limit',
  ),
];

export const STREAM_METRICS: readonly ComponentMetric<StreamCounters>[] = [
  metric('sessions', 'gauge', 'phonebooth_stream_sessions', 'Sessions that are relayed'),
  metric('viewers', 'gauge', 'phonebooth_stream_viewers', 'Connected viewers'),
  metric(
    'waitingBytes',
    'gauge',
    'phonebooth_stream_waiting_bytes',
    'Bytes in the packet queues of all viewers',
  ),
  metric('received', 'counter', 'phonebooth_stream_received_packets_total', 'Packets received from hosts'),
  metric('frames', 'counter', 'phonebooth_stream_frames_total', 'Frames sent to viewers'),
  metric('bytes', 'counter', 'phonebooth_stream_bytes_total', 'Bytes sent to viewers'),
  metric(
    'droppedGroups',
    'counter',
    'phonebooth_stream_dropped_groups_total',
    'Times that frames were dropped for a slow viewer',
  ),
  metric('tooSlow', 'counter', 'phonebooth_stream_too_slow_total', 'Viewers evicted for being too slow'),
  metric('rejected', 'counter', 'phonebooth_stream_refused_total', 'Upgrades rejected'),
];

export const CONTROL_METRICS: readonly ComponentMetric<ControlCounters>[] = [
  metric('sessions', 'gauge', 'phonebooth_control_sessions', 'Sessions with a control link'),
  metric('clients', 'gauge', 'phonebooth_control_clients', 'Connected control clients'),
  metric('calls', 'counter', 'phonebooth_control_calls_total', 'Method calls from clients'),
  metric('injected', 'counter', 'phonebooth_control_injected_total', 'Binary control messages forwarded'),
  metric('takeovers', 'counter', 'phonebooth_control_takeovers_total', 'Control takeovers'),
  metric('rejected', 'counter', 'phonebooth_control_refused_total', 'Upgrades rejected'),
];

export const ADB_METRICS: readonly ComponentMetric<AdbCounters>[] = [
  metric('tunnels', 'gauge', 'phonebooth_adb_tunnels', 'Open adb connections'),
  metric('opened', 'counter', 'phonebooth_adb_opened_total', 'adb connections opened'),
  metric('toPhoneBytes', 'counter', 'phonebooth_adb_to_phones_bytes_total', 'adb bytes sent to phones'),
  metric(
    'fromPhoneBytes',
    'counter',
    'phonebooth_adb_from_phones_bytes_total',
    'adb bytes received from phones',
  ),
  metric('rejected', 'counter', 'phonebooth_adb_refused_total', 'Upgrades rejected'),
];

export const MCP_METRICS: readonly ComponentMetric<McpCounters>[] = [
  metric('sessions', 'gauge', 'phonebooth_mcp_sessions', 'AI agents connected over HTTP'),
  metric('phones', 'gauge', 'phonebooth_mcp_phones', 'Phones borrowed by these agents'),
  metric(
    'refused',
    'counter',
    'phonebooth_mcp_refused_total',
    'Sessions of AI agents rejected because of the limit',
  ),
];

export const AGENT_METRICS: readonly ComponentMetric<AgentCounters>[] = [
  metric('phones', 'gauge', 'phonebooth_host_phones', 'Phones attached to this host'),
  metric('unusable', 'gauge', 'phonebooth_host_phones_unusable', 'Phones of this host with a problem'),
  metric('leased', 'gauge', 'phonebooth_host_leases', 'Sessions on this host'),
  metric(
    'unacknowledgedReports',
    'gauge',
    'phonebooth_host_untaken_reports',
    'Consecutive heartbeats that the control plane did not accept',
  ),
];

function metric<T>(
  of: keyof T,
  type: ComponentMetric<T>['type'],
  name: string,
  help: string,
): ComponentMetric<T> {
  return { of, type, name, help };
}

/** The timeout is short because each process is scraped every few seconds. */
const FLEET_COUNTS_TIMEOUT_MS = 3_000;

/**
 * Series must exist while their value is 0: a series that appears and disappears has no rate, and an alert on it
 * never resolves.
 */
const NO_SESSIONS = { connecting: 0, connected: 0 };
const NO_DEVICES = { available: 0, busy: 0, maintenance: 0, offline: 0 };
const NO_HOSTS = { up: 0, silent: 0 };

/**
 * Fleet counts from the store. Every api process reports the same values. There are none while the store is
 * unavailable.
 */
export function registerFleetCounts(
  metrics: Metrics,
  store: Pick<Store, 'getFleetCounts' | 'waiting'>,
): void {
  const sessions = metrics.labelled('phonebooth_sessions', 'Live sessions by status', 'status');
  const devices = metrics.labelled('phonebooth_devices', 'Phones by condition', 'condition');
  const hosts = metrics.labelled('phonebooth_hosts', 'Hosts by state', 'state');
  let now: { up: number; lagMs: number } = { up: 0, lagMs: 0 };
  metrics.beforeScrape(async () => {
    const fleetCounts = await withDeadline(
      store.getFleetCounts(),
      FLEET_COUNTS_TIMEOUT_MS,
      'fleet counts are unavailable',
    ).catch(() => null);
    now = { up: fleetCounts ? 1 : 0, lagMs: fleetCounts?.overdueMs ?? 0 };
    sessions(fleetCounts ? { ...NO_SESSIONS, ...fleetCounts.sessions } : {});
    devices(fleetCounts ? { ...NO_DEVICES, ...fleetCounts.devices } : {});
    hosts(fleetCounts ? { ...NO_HOSTS, ...fleetCounts.hosts } : {});
  });
  metrics.register(
    [
      metric('up', 'gauge', 'phonebooth_store_up', 'Whether the store is available'),
      metric('lagSeconds', 'gauge', 'phonebooth_reaper_lag_seconds', 'Delay of the most overdue session end'),
      metric('waiting', 'gauge', 'phonebooth_store_waiting', 'Requests waiting to be sent to the database'),
    ],
    () => ({ up: now.up, lagSeconds: now.lagMs / 1000, waiting: store.waiting }),
  );
}

export function registerBus(metrics: Metrics, bus: Pick<Bus, 'isUp'>): void {
  metrics.register(
    [metric('up', 'gauge', 'phonebooth_bus_up', 'Whether messages of other processes arrive')],
    () => ({
      up: bus.isUp ? 1 : 0,
    }),
  );
}

/**
 * The backlog of pending webhook deliveries of the whole service. There are no values while the store is unavailable.
 */
export function registerWebhooks(metrics: Metrics, store: Pick<Store, 'getWebhookBacklog'>): void {
  let now = { pending: 0, lagSeconds: 0 };
  metrics.beforeScrape(async () => {
    const backlog = await withDeadline(
      store.getWebhookBacklog(),
      FLEET_COUNTS_TIMEOUT_MS,
      'webhook delivery counts are unavailable',
    ).catch(() => ({ pending: 0, overdueMs: 0 }));
    now = { pending: backlog.pending, lagSeconds: backlog.overdueMs / 1000 };
  });
  metrics.register(
    [
      metric('pending', 'gauge', 'phonebooth_webhook_pending', 'Pending webhook messages, up to 10,000'),
      metric(
        'lagSeconds',
        'gauge',
        'phonebooth_webhook_lag_seconds',
        'Delay of the most overdue webhook delivery',
      ),
    ],
    () => now,
  );
}
