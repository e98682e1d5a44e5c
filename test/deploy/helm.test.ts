import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/server/settings.ts';
import { DEPLOY, ROOT } from './deployment.ts';

const CHART = join(DEPLOY, 'helm/phonebooth');
const templates = readdirSync(join(CHART, 'templates')).map((name) => ({
  name,
  text: readFileSync(join(CHART, 'templates', name), 'utf8'),
}));
const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));

test('Chart.yaml has the fields that Helm requires and the version of the project', () => {
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(chart).toMatchObject({
    apiVersion: 'v2',
    name: 'phonebooth',
    type: 'application',
    appVersion: version,
  });
  expect(chart.version).toMatch(/^\d+\.\d+\.\d+$/);
});

test.each(templates)('every value that $name refers to has a default', ({ text }) => {
  for (const [, path] of text.matchAll(/\.Values\.([\w.]+)/g)) {
    const value = path!.split('.').reduce((inside, key) => inside?.[key], values);
    expect(value, path).toBeDefined();
  }
});

test.each(templates)('$name closes every block that it opens', ({ text }) => {
  const actions = [...text.matchAll(/\{\{-?\s*(\w+)/g)].map(([, word]) => word!);
  const opened = actions.filter((word) => ['if', 'with', 'range', 'define'].includes(word));
  expect(actions.filter((word) => word === 'end')).toHaveLength(opened.length);
});

test('separate roles in the cluster have the settings that they require', () => {
  const roles = templates.find(({ name }) => name === 'roles.yaml')!.text;
  const given = `${roles}${templates.find(({ name }) => name === '_helpers.tpl')!.text}`;
  const needed = [
    'NATS_URL',
    'DATABASE_URL',
    'STREAM_URL',
    'CONTROL_URL',
    'TLS_CERT',
    'TLS_KEY',
    'INGEST_URL',
  ];
  for (const name of needed.map((short) => `PHONEBOOTH_${short}`)) {
    expect(SETTINGS).toHaveProperty(name);
    expect(given).toContain(name);
  }
});

/**
 * Without this, Kubernetes would set PHONEBOOTH_PORT=tcp://… for a Service named phonebooth, and no process would
 * start.
 */
test('the chart uses only existing settings', () => {
  expect(templates.find(({ name }) => name === '_helpers.tpl')!.text).toContain('enableServiceLinks: false');
});

describe('values.schema.json', () => {
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')),
  );
  const problems = (changes: object) => {
    validate({ ...values, ...changes });
    return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  };

  test('accepts the default values and describes every one of them', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ image: { repository: 'r', digest: `sha256:${'0'.repeat(64)}` } })).toEqual([]);
  });

  test.each<[object, string]>([
    [{ replicas: 2 }, ' additionalProperties'],
    [{ stream: { ...values.stream, replica: 3 } }, '/stream additionalProperties'],
    [{ image: { repository: 'r', digest: 'latest' } }, '/image/digest pattern'],
    [{ streamUrl: 'https://stream.example.com' }, '/streamUrl pattern'],
    [{ settings: { MAX_DURATION: '120' } }, '/settings propertyNames'],
    [{ settings: { PHONEBOOTH_MAX_DURATION: 120 } }, '/settings/PHONEBOOTH_MAX_DURATION type'],
    [{ ingest: { ...values.ingest, reach: 'cluster' } }, '/ingest/reach enum'],
  ])('rejects %j', (changes, problem) => {
    expect(problems(changes)).toContain(problem);
  });
});
