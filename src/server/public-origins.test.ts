import { expect, test } from 'vitest';
import { completeOrigins } from './public-origins.ts';
import { ROLES } from './roles.ts';

/** Returns the origins that the service hands out, and the settings that its warning names. */
function complete(config: object, { stream = '', control = '' } = {}) {
  const origins = { stream, control };
  let missing: string[] | null = null;
  const warn = (fields: object) => {
    ({ missing } = fields as { missing: string[] });
  };
  const parts = { config: { host: '127.0.0.1', trustedProxies: [], ...config }, log: { warn } };
  completeOrigins(parts, { origins, port: 7143, roles: ROLES });
  return { ...origins, missing };
}

test('names this machine, without a warning, if only this machine can reach the service', () => {
  expect(complete({})).toEqual({
    stream: 'wss://localhost:7143',
    control: 'wss://127.0.0.1:7143',
    missing: null,
  });
});

test.each([{ host: '0.0.0.0' }, { host: '::' }, { trustedProxies: ['10.0.0.0/8'] }])(
  'warns if other machines can reach the service: %j',
  (config) => {
    expect(complete(config).missing).toEqual(['PHONEBOOTH_STREAM_URL', 'PHONEBOOTH_CONTROL_URL']);
    const stream = 'wss://stream.example.com';
    expect(complete(config, { stream })).toMatchObject({ stream, missing: ['PHONEBOOTH_CONTROL_URL'] });
    expect(complete(config, { stream, control: 'wss://control.example.com' }).missing).toBeNull();
  },
);
