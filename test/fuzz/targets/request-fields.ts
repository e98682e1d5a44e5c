import { Compile } from 'typebox/compile';
import { parseBody, requestReader } from '../../../src/api/read-request.ts';
import { ApiError } from '../../../src/contract/http/errors.ts';
import { operations } from '../../../src/contract/http/operations.ts';
import { type Target, unlessRefused } from '../engine/target.ts';

const READERS = Object.values(operations({ maxDurationMinutes: 480 })).map((operation) => ({
  read: requestReader(operation),
  params: Object.fromEntries(Object.keys(operation.params.properties).map((name) => [name, 'an-id'])),
  checks: { query: Compile(operation.query), body: Compile(operation.body) },
}));

/** Validates a JSON body of a request to the API, and the same data as a query string. */
export const target: Target = {
  seeds: () =>
    [
      { duration: 30, app_id: 'app_1' },
      { brand: 'google', os_version: '16', wait: 10, page: 2, page_size: 50, status: 'available' },
      { name: 'A', role: 'user', expires_at: '2027-01-01T00:00:00Z', quota_minutes: null, disabled: true },
      { url: 'https://hooks.example.com/', events: ['session.changed'] },
      { maintenance: true, note: 'n', group_id: 'grp_1', accounts: ['acc_1'] },
    ].map((body) => Buffer.from(JSON.stringify(body))),
  run: (input) => {
    const value = unlessRefused([ApiError], () => parseBody(input, 'application/json'));
    for (const { read, params, checks } of READERS) {
      const query = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
      for (const parts of [
        { params, query: {}, body: value },
        { params, query, body: {} },
      ]) {
        const taken = unlessRefused([ApiError], () => read(parts));
        if (taken && !(checks.query.Check(taken.query) && checks.body.Check(taken.body)))
          throw new Error(`unexpectedly accepted ${JSON.stringify(taken)}`);
      }
    }
  },
};
