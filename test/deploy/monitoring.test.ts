import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  ADB_METRICS,
  ADDRESS_LIMIT_METRICS,
  AGENT_METRICS,
  CONNECTION_METRICS,
  CONTROL_METRICS,
  MCP_METRICS,
  registerBus,
  registerFleetCounts,
  registerWebhooks,
  STREAM_METRICS,
} from '../../src/server/telemetry/component-metrics.ts';
import { Metrics } from '../../src/server/telemetry/metrics.ts';
import { STEPS } from '../../src/util/steps.ts';
import { DEPLOY } from './deployment.ts';

interface Dashboard {
  panels: { title: string; type: string; targets?: { expr: string }[]; gridPos: { x: number; w: number } }[];
}

const exec = promisify(execFile);

const read = (name: string) => readFileSync(join(DEPLOY, 'monitoring', name), 'utf8');
const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
const alerts = (parse(read('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] })
  .groups;
const queries = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
];

let metricsText: string;
let names: Set<string>;

/** Records every metric that any process exports. The names are parsed from the text itself, as Prometheus does. */
beforeAll(async () => {
  const metrics = new Metrics({ version: '1', roles: ['all'] });
  const zero = new Proxy({}, { get: () => 0 });
  const all = [STREAM_METRICS, CONTROL_METRICS, ADB_METRICS, MCP_METRICS, AGENT_METRICS];
  for (const definitions of [...all, CONNECTION_METRICS, ADDRESS_LIMIT_METRICS])
    metrics.register(definitions as never, () => zero);
  registerBus(metrics, { isUp: true });
  const fleetCounts = { sessions: {}, devices: {}, hosts: {}, overdueMs: 0 };
  registerFleetCounts(metrics, { waiting: 0, getFleetCounts: async () => fleetCounts });
  registerWebhooks(metrics, { getWebhookBacklog: async () => ({ pending: 0, overdueMs: 0 }) });
  metrics.webhookTried('delivered');
  metrics.artifactReceived('stored', 0);
  metrics.answered({ operation: 'devices.list', code: 0, seconds: 0 });
  metrics.observeStep('connect', 'ok', 0);
  metrics.sessionEnded('client');
  metricsText = await metrics.read();
  // Prometheus itself generates `up` for each target.
  names = new Set([...metricsText.matchAll(/^[a-z_]\w*(?=[{ ])/gm)].map(([name]) => name).concat('up'));
});

test.each(queries)('%s queries only existing metrics', (_, expr) => {
  const asked = expr.match(/\b(phonebooth|process|nodejs)_\w+|\bup(?=\{)/g) ?? [];
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((name) => !names.has(name))).toEqual([]);
});

test('the queried steps exist', () => {
  const asked = queries.flatMap(([, expr]) => [...expr.matchAll(/step="([^"]+)"/g)].map(([, step]) => step));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((step) => !(STEPS as readonly string[]).includes(step!))).toEqual([]);
});

test('queries show 0 for metrics without samples', () => {
  for (const series of [
    'phonebooth_sessions{status="connecting"} 0',
    'phonebooth_sessions{status="connected"} 0',
    'phonebooth_devices{condition="available"} 0',
    'phonebooth_hosts{state="silent"} 0',
  ]) {
    expect(metricsText).toContain(`${series}\n`);
  }
});

test('promtool reports no problem with the metrics', async () => {
  const checked = exec('promtool', ['check', 'metrics']);
  checked.child.stdin!.end(metricsText);
  expect(await checked).toMatchObject({ stdout: '', stderr: '' });
});

test('promtool accepts the rules, and each alert fires under its condition with the right labels', async () => {
  await exec('promtool', ['check', 'rules', join(DEPLOY, 'monitoring', 'alerts.yaml')]);
  const rulesTest = fileURLToPath(new URL('alerts.promtool.yaml', import.meta.url));
  const { tests } = parse(readFileSync(rulesTest, 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
  };
  const cases = tests.flatMap((one) => one.alert_rule_test);
  for (const name of alerts.flatMap(({ rules }) => rules.map(({ alert }) => alert))) {
    const of = cases.filter(({ alertname }) => alertname === name);
    expect({
      name,
      fires: of.some((one) => one.exp_alerts?.length),
      isSilent: of.some((one) => !one.exp_alerts?.length),
    }).toEqual({ name, fires: true, isSilent: true });
  }
  await exec('promtool', ['test', 'rules', rulesTest]);
});

test('the alerts query the job in the Prometheus configuration', () => {
  const { scrape_configs } = parse(read('prometheus.yaml')) as { scrape_configs: { job_name: string }[] };
  const jobs = queries.flatMap(([, expr]) => [...expr.matchAll(/job="([^"]+)"/g)].map(([, job]) => job));
  expect([...new Set(jobs)]).toEqual(scrape_configs.map(({ job_name }) => job_name));
});

test('the panels of the dashboard neither overlap nor exceed its width', () => {
  const places = dashboard.panels.map(({ gridPos }) => JSON.stringify(gridPos));
  expect(new Set(places).size).toBe(places.length);
  for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});
