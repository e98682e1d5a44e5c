import { expect, test } from 'vitest';
import { TokenKeys } from '../../src/access/token-keys.ts';
import { RequestLimits } from '../../src/api/limits/request-limits.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { InProcessLinks } from '../../src/link/in-process.ts';
import { StreamGateway } from '../../src/stream-gateway/stream-gateway.ts';
import { silentLog } from '../../src/util/log.ts';
import { refusal, serve } from './client.ts';
import { FakeStore } from './fake-store.ts';
import { addressOf, TOKEN_KEY } from './upgrade-suite.ts';

test('answers 429 without a lookup to an address that sent too many invalid socket tokens', async () => {
  const store = new FakeStore();
  store.add({ id: 's1' });
  await using bus = new InProcessBus();
  await using gateway = new StreamGateway({
    ...{ store, bus, links: new InProcessLinks().listen('stream'), log: silentLog },
    tokenKeys: TokenKeys.of(TOKEN_KEY),
    failures: new RequestLimits({ key: null, connect: null, address: null, failed: 4 }, () => 0),
  });
  const server = await serve(gateway);
  try {
    const wrong = addressOf(server.origin, 'stream', 's1', 6);
    expect(await refusal(wrong)).toMatchObject({ status: 401 });
    expect(await refusal(addressOf(server.origin, 'stream', 'none'))).toMatchObject({ status: 404 });
    store.away = true;
    const refused = await refusal(wrong);
    expect(refused).toMatchObject({ status: 429, body: { code: 40029, data: { of: 'failed' } } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  } finally {
    await server.close();
  }
});
