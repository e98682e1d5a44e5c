import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { EVENT_NAMES } from '../../contract/events/event.ts';
import { operations } from '../../contract/http/operations.ts';
import { NamedSchemas } from './named-schemas.ts';
import { openApiDocument } from './openapi.ts';

interface Document {
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, { post: Described }>;
  components: { schemas: Record<string, { properties: Record<string, object>; examples?: object[] }> };
  tags: { name: string }[];
}
interface Described {
  tags: string[];
  requestBody: {
    content: Record<string, { schema: { properties: Record<string, { type?: unknown; anyOf?: object[] }> } }>;
  };
  responses: Record<string, { content: Record<string, { schema: object; example?: object }> }>;
}

/** The document as a client receives it. */
const document: Document = JSON.parse(
  JSON.stringify({
    ...openApiDocument('/v1', operations({ maxDurationMinutes: 480 })),
    externalDocs: { url: 'https://phones.example.com/docs/' },
  }),
);

/** Checks a document against all recommended rules of Redocly, which also validate the examples. */
async function findingsOf(checked: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const source = JSON.stringify(checked);
  const findings = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return findings.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

test('has no finding of Redocly’s recommended rules', async () => {
  expect(await findingsOf(document)).toEqual([]);
});

test('the check of the rules detects an invalid example and an undescribed tag', async () => {
  const broken = structuredClone(document);
  broken.components.schemas.Device!.examples = [{ id: 1 }];
  broken.tags[0] = { name: 'devices' };
  const findings = (await findingsOf(broken)).join('\n');
  expect(findings).toContain('no-invalid-schema-examples');
  expect(findings).toContain('tag-description');
});

test('names the schemas of the contract, and refers to them', () => {
  const names = ['Account', 'App', 'Device', 'DevicePage', 'Envelope', 'Error', 'Key', 'Session', 'Webhook'];
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names));
  expect(Object.keys(document.components.schemas).filter((name) => name.includes('undefined'))).toEqual([]);
  const connect = document.paths['/devices/{device_id}/connect']!.post!.responses;
  const data = { $ref: '#/components/schemas/Session' };
  expect(connect[200]!.content['application/json']!.schema).toEqual({
    allOf: [
      { $ref: '#/components/schemas/Envelope' },
      { type: 'object', required: ['data'], properties: { data } },
    ],
  });
  expect(connect[409]!.content['application/json']!.schema).toEqual({ $ref: '#/components/schemas/Error' });
});

test('describes each group of operations, and no other', () => {
  const used = [document.paths, document.webhooks].flatMap((paths) =>
    Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags }: Described) => tags)),
  );
  expect(document.tags.map(({ name }) => name).sort()).toEqual([...new Set(used)].sort());
});

test('accepts null for each optional field of a body', () => {
  const bodyOf = (path: string, method: string) =>
    document.paths[path]![method]!.requestBody.content['application/json']!.schema.properties;
  const connect = bodyOf('/devices/{device_id}/connect', 'post');
  expect(connect.duration!.type).toEqual(['integer', 'null']);
  expect(connect.app_id!.type).toEqual(['string', 'null']);
  expect(bodyOf('/sessions/{session_id}/extend', 'post').duration!.type).toBe('integer');
  expect(bodyOf('/keys', 'post').role!.anyOf).toContainEqual({ type: 'null' });
});

test('describes the messages of webhooks without the addresses of sockets', () => {
  expect(Object.keys(document.webhooks)).toEqual([...EVENT_NAMES, 'ping']);
  const { properties } = document.webhooks['session.changed']!.post.requestBody.content['application/json']!
    .schema as unknown as { properties: { data: { properties: object; required: string[] } } };
  expect(Object.keys(properties.data.properties)).toContain('session_id');
  expect(JSON.stringify(properties.data)).not.toContain('stream_url');
});

test('rejects two different schemas of the same name', () => {
  const named = new NamedSchemas();
  named.refer({ type: 'object', title: 'Device', properties: {} });
  expect(() => named.refer({ type: 'string', title: 'Device' })).toThrow('two schemas have the name Device');
});

test('describes the parts of an artifact that a client can request', () => {
  const get = document.paths['/sessions/{session_id}/artifacts/{artifact_id}']!.get!;
  const types = ['video/mp4', 'application/jsonl', 'image/png'];
  for (const status of [200, 206]) expect(Object.keys(get.responses[status]!.content)).toEqual(types);
  for (const status of [206, 416])
    expect(get.responses[status]).toMatchObject({ headers: { 'Content-Range': expect.anything() } });
  expect(get).toMatchObject({
    parameters: expect.arrayContaining(
      ['Range', 'If-Range'].map((name) => expect.objectContaining({ name, in: 'header', required: false })),
    ),
  });
});
