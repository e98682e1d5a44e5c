import { expect, test } from 'vitest';
import { socketOrigins, warnOfLocalOrigins } from './public-origins.ts';

const unset = { streamUrl: null, controlUrl: null };
const streamUrl = 'wss://stream.example.com';
const controlUrl = 'wss://control.example.com';

/** Returns the settings that the warning names; null if there is no warning. */
function missingOf(config: object): string[] | null {
  let missing: string[] | null = null;
  const warn = (fields: object) => {
    ({ missing } = fields as { missing: string[] });
  };
  const settings = { host: '127.0.0.1', trustedProxies: [], ...unset, ...config };
  warnOfLocalOrigins({ config: settings, log: { warn } });
  return missing;
}

test('names this machine in the addresses of sockets without settings', () => {
  const local = { stream: 'wss://localhost:7143', control: 'wss://127.0.0.1:7143' };
  expect(socketOrigins(unset, 7143)).toEqual(local);
  expect(socketOrigins({ ...unset, streamUrl }, 7143)).toEqual({ ...local, stream: streamUrl });
});

test('does not warn if only this machine can reach the service', () => {
  expect(missingOf({})).toBeNull();
});

test.each([{ host: '0.0.0.0' }, { host: '::' }, { trustedProxies: ['10.0.0.0/8'] }])(
  'warns if other machines can reach the service: %j',
  (config) => {
    expect(missingOf(config)).toEqual(['PHONEBOOTH_STREAM_URL', 'PHONEBOOTH_CONTROL_URL']);
    expect(missingOf({ ...config, streamUrl })).toEqual(['PHONEBOOTH_CONTROL_URL']);
    expect(missingOf({ ...config, streamUrl, controlUrl })).toBeNull();
  },
);
