import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  AGENT_FIGURES,
  CONTROL_FIGURES,
  MCP_FIGURES,
  STREAM_FIGURES,
  showBus,
  showCensus,
  showWebhooks,
} from '../../src/main/telemetry/figures.ts';
import { Metrics } from '../../src/main/telemetry/metrics.ts';
import { STEPS } from '../../src/util/steps.ts';
import { DEPLOY } from './deployment.ts';

interface Dashboard {
  panels: { title: string; type: string; targets?: { expr: string }[]; gridPos: { x: number; w: number } }[];
}

const read = (name: string) => readFileSync(join(DEPLOY, 'monitoring', name), 'utf8');
const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
const alerts = (parse(read('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] })
  .groups;
const queries = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
];

let names: Set<string>;

/** All that any process shows: what each name is comes from the text itself, as Prometheus reads it. */
beforeAll(async () => {
  const metrics = new Metrics({ version: '1', roles: ['all'] });
  const zero = new Proxy({}, { get: () => 0 });
  for (const figures of [STREAM_FIGURES, CONTROL_FIGURES, MCP_FIGURES, AGENT_FIGURES])
    metrics.show(figures as never, () => zero);
  showBus(metrics, { isUp: true });
  const census = { sessions: { connected: 1 }, devices: { busy: 1 }, hosts: { up: 1 }, overdueMs: 0 };
  showCensus(metrics, { waiting: 0, census: async () => census });
  showWebhooks(metrics, { webhookBacklog: async () => ({ pending: 0, overdueMs: 0 }) });
  metrics.webhookTried('delivered');
  metrics.answered({ operation: 'devices.list', code: 0, seconds: 0 });
  metrics.observeStep('connect', 'ok', 0);
  metrics.sessionEnded('client');
  names = new Set((await metrics.read()).match(/^[a-z_]\w*(?=[{ ])/gm));
});

test.each(queries)('%s asks for figures that there are', (_, expr) => {
  const asked = expr.match(/\b(phonebooth|process|nodejs)_\w+/g) ?? [];
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((name) => !names.has(name))).toEqual([]);
});

test('the steps that are asked for are steps', () => {
  const asked = queries.flatMap(([, expr]) => [...expr.matchAll(/step="([^"]+)"/g)].map(([, step]) => step));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((step) => !(STEPS as readonly string[]).includes(step!))).toEqual([]);
});

test('no two panels of the dashboard have one place, and none is wider than the page', () => {
  const places = dashboard.panels.map(({ gridPos }) => JSON.stringify(gridPos));
  expect(new Set(places).size).toBe(places.length);
  for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});
