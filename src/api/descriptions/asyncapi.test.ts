import specs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { CLOSE } from '../../contract/sockets/close-codes.ts';
import { CONTROL_METHODS } from '../../contract/sockets/control-methods.ts';
import { CONTROL_NOTIFICATIONS } from '../../contract/sockets/control-notifications.ts';
import { RPC_ERRORS } from '../../contract/sockets/rpc-errors.ts';
import { asyncApiDocument } from './asyncapi.ts';

interface Document {
  servers: Record<string, { host: string; protocol: string }>;
  channels: Record<string, { messages: object; 'x-close-codes': { code: number }[] }>;
  operations: Record<string, { action: string }>;
  components: { messages: Record<string, { payload: { $ref: string } }>; schemas: Record<string, object> };
  'x-error-codes': { code: number }[];
}

const origins = { stream: 'wss://stream.example.com:7143', control: 'wss://control.example.com' };
/** The document as a client receives it. */
const document: Document = JSON.parse(JSON.stringify(asyncApiDocument(origins)));

/** The official AsyncAPI schema embeds the JSON Schema meta-schema. */
const ajv = new Ajv({ meta: false, validateSchema: false, strict: false, validateFormats: false });
const isAsyncApi = ajv.compile(specs.schemas['3.1.0'] as object);

test('is a valid AsyncAPI 3.1 document', () => {
  isAsyncApi(document);
  expect(isAsyncApi.errors ?? []).toEqual([]);
});

test('the validation detects an invalid document', () => {
  const broken = structuredClone(document);
  broken.operations['call.tap']!.action = 'shout';
  expect(isAsyncApi(broken)).toBe(false);
});

test('contains no dangling reference', () => {
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
  for (const [, path] of references) {
    const found = path!
      .split('/')
      .reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], document);
    expect(found, path).toBeDefined();
  }
});

test('lists the public origins as servers', () => {
  expect(document.servers).toMatchObject({
    stream: { host: 'stream.example.com:7143', protocol: 'wss' },
    control: { host: 'control.example.com', protocol: 'wss' },
  });
});

test('describes every method of the contract with its parameters and result', () => {
  for (const [method, { params, result }] of Object.entries(CONTROL_METHODS)) {
    expect(document.operations[`call.${method}`]).toMatchObject({ action: 'receive' });
    expect(payloadOf(method)).toMatchObject({
      properties: { method: { const: method }, params: plain(params) },
    });
    expect(payloadOf(`${method}.result`)).toMatchObject({
      properties: { result: plain(result) },
    });
  }
});

test('describes every notification of the contract', () => {
  for (const [method, { params }] of Object.entries(CONTROL_NOTIFICATIONS)) {
    expect(document.operations[`tell.${method}`]).toMatchObject({ action: 'send' });
    expect(payloadOf(method)).toMatchObject({
      properties: { method: { const: method }, params: plain(params) },
    });
  }
});

test('describes every close code for both sockets, and every error code', () => {
  for (const { 'x-close-codes': codes } of Object.values(document.channels)) {
    expect(codes.map(({ code }) => code).sort()).toEqual(Object.values(CLOSE).sort());
  }
  const errors = document['x-error-codes'].map(({ code }) => code);
  expect(errors.sort()).toEqual(Object.values(RPC_ERRORS).sort());
});

/** Returns the named schema that the payload of a message refers to. */
function payloadOf(message: string): object | undefined {
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(
    document.components.messages[message]!.payload.$ref,
  )!;
  return document.components.schemas[name!];
}

test('names the schemas of calls, results and notifications', () => {
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['AppInstallCall', 'AppInstallResult', 'SessionReadyNotification', 'CallError']),
  );
});

const plain = (schema: object): object => JSON.parse(JSON.stringify(schema));
