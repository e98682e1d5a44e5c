import { describe, expect, test } from 'vitest';
import { ApiError } from '../contract/http/errors.ts';
import { operations } from '../contract/http/operations.ts';
import { parseBody, readIdempotencyKey, requestReader } from './read-request.ts';

const table = operations({ maxDurationMinutes: 480 });
const connect = requestReader(table['devices.connect']);
const list = requestReader(table['devices.list']);
const params = { device_id: 'd' };

const errorsOf = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe(40000);
    return (error as ApiError).data.errors;
  }
  return [];
};

describe('request body', () => {
  test('is optional, and can be empty or null', () => {
    for (const body of [undefined, null, {}, { duration: null, app_id: null }]) {
      expect(connect({ params, query: {}, body }).body).toEqual({ duration: 30, record_text: false });
    }
  });

  test.each([
    ['alone', {}],
    ['before an invalid field', { duration: 100_000 }],
  ])('is rejected with a bounded error if it has too many unknown fields: %s', (_, wrong) => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`a/${n}`, 1]));
    const errors = errorsOf(() => connect({ params, query: {}, body: { ...many, ...wrong } }));
    expect(errors).toContainEqual({
      field: 'body.a/0',
      message: 'is not a known field; the known fields are duration, app_id, record, record_text',
    });
    expect(errorsOf(() => list({ params: {}, query: { ...many, page: '0' }, body: {} }))).not.toEqual([]);
  });

  test('is rejected with a field, if the operation has none', () => {
    const disconnect = requestReader(table['sessions.disconnect']);
    const read = () => disconnect({ params: { session_id: 's' }, query: {}, body: { reason: 'done' } });
    expect(errorsOf(read)).toEqual([
      { field: 'body.reason', message: 'is not a known field; no field is accepted here' },
    ]);
  });

  test('keeps null where the field is nullable, and mentions null in the error for an invalid value', () => {
    const change = requestReader(table['admin.accounts.update']);
    const read = (body: object) => change({ params: { account_id: 'a' }, query: {}, body });
    expect(read({ quota_minutes: null, name: null, disabled: null }).body).toEqual({ quota_minutes: null });
    expect(errorsOf(() => read({ quota_minutes: 'many', name: 'a\tb' }))).toEqual([
      {
        field: 'body.name',
        message: 'must be a string of 1 to 100 characters on one line, without control characters',
      },
      { field: 'body.quota_minutes', message: 'must be a whole number from 0 to 1000000000, or null' },
    ]);
  });

  test.each([0, -1, 1.5, 481, '30', true, [], {}])(
    'is rejected with duration %j, with an error that states the valid range',
    (duration) => {
      expect(errorsOf(() => connect({ params, query: {}, body: { duration } }))).toEqual([
        { field: 'body.duration', message: 'must be a whole number from 1 to 480' },
      ]);
    },
  );

  test('is rejected with the number and the kind of the values of a list', () => {
    const change = requestReader(table['webhooks.update']);
    const read = () => change({ params: { webhook_id: 'a' }, query: {}, body: { events: [] } });
    expect(errorsOf(read)).toEqual([
      {
        field: 'body.events',
        message:
          'must be a list of 1 to 3 unique values, each device.changed, device.removed or session.changed',
      },
    ]);
    const create = requestReader(table['admin.groups.create']);
    expect(errorsOf(() => create({ params: {}, query: {}, body: { name: 'a', accounts: [''] } }))).toEqual([
      {
        field: 'body.accounts',
        message: 'must be a list of at most 500 unique values, each a string of 1 to 100 characters',
      },
    ]);
  });

  test('is rejected with one error per invalid field', () => {
    expect(errorsOf(() => connect({ params, query: {}, body: { duration: 'x', minutes: 3 } }))).toEqual(
      expect.arrayContaining([
        { field: 'body.duration', message: 'must be a whole number from 1 to 480' },
        {
          field: 'body.minutes',
          message: 'is not a known field; the known fields are duration, app_id, record, record_text',
        },
      ]),
    );
  });

  test.each([[[]], ['text'], [5], [true]])('%j is rejected', (body) => {
    expect(errorsOf(() => connect({ params, query: {}, body }))).toEqual([
      { field: 'body', message: 'must be an object' },
    ]);
  });

  test('must be JSON in UTF-8 of the right type', () => {
    expect(parseBody(Buffer.from(''), undefined)).toBeUndefined();
    expect(parseBody(Buffer.from('{"a":1}'), 'application/json; charset=utf-8')).toEqual({ a: 1 });
    expect(errorsOf(() => parseBody(Buffer.from('{'), 'application/json'))).toMatchObject([
      { field: 'body' },
    ]);
    expect(errorsOf(() => parseBody(Buffer.from([0x22, 0xff, 0x22]), 'application/json'))).toEqual([
      { field: 'body', message: 'is not valid UTF-8' },
    ]);
    const nested = (depth: number) => Buffer.from(`{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`);
    expect(parseBody(nested(100), 'application/json')).toHaveProperty('a');
    for (const depth of [101, 30_000]) {
      expect(errorsOf(() => parseBody(nested(depth), 'application/json'))).toEqual([
        { field: 'body', message: 'must have at most 100 levels of nested arrays and objects' },
      ]);
    }
    expect(() => parseBody(Buffer.from('a=1'), 'application/x-www-form-urlencoded')).toThrow(
      expect.objectContaining({ code: 40016, status: 415 }),
    );
  });
});

describe('query', () => {
  test('applies defaults and converts numbers', () => {
    expect(list({ params: {}, query: { page: '2' }, body: undefined }).query).toEqual({
      page: 2,
      page_size: 20,
    });
  });

  test.each([
    [{ page: '0' }, 'query.page'],
    [{ page: '1.5' }, 'query.page'],
    [{ page: '' }, 'query.page'],
    [{ page: ['1', '2'] }, 'query.page'],
    [{ page_size: '101' }, 'query.page_size'],
    [{ status: 'offline' }, 'query.status'],
    [{ Brand: 'x' }, 'query.Brand'],
  ])('%j is rejected because of %s', (query, field) => {
    expect(errorsOf(() => list({ params: {}, query, body: undefined }))).toMatchObject([{ field }]);
  });

  test('lists the valid statuses in the error', () => {
    expect(errorsOf(() => list({ params: {}, query: { status: 'free' }, body: undefined }))).toEqual([
      { field: 'query.status', message: 'must be available or busy' },
    ]);
  });
});

test('accepts one idempotency key of 1 to 255 visible characters', () => {
  expect(readIdempotencyKey(undefined)).toBeNull();
  expect(readIdempotencyKey('abc-1')).toBe('abc-1');
  for (const bad of ['', 'a b', 'x'.repeat(256), ['a', 'b']])
    expect(errorsOf(() => readIdempotencyKey(bad))).toHaveLength(1);
});
