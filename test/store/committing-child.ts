/**
 * Creates and ends sessions in a loop on the given database file, and prints each session that the store
 * acknowledged.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openStore } from '../../src/store/open-store.ts';
import { silentLog } from '../../src/util/log.ts';

const [sqliteFile, accountId, keyId] = process.argv.slice(2) as [string, string, string];
const store = await openStore({ sqliteFile }, { log: silentLog });
const [deviceId = ''] = (await store.listDevices({ accountId, page: 1, pageSize: 1 })).items.map(
  ({ id }) => id,
);
const description = await store.getDevice(deviceId, accountId);
if (!description) throw new Error('the store lists no phone');

const event = (action: string) => ({ accountId, keyId, action, address: null, targets: [] });

// Runs until it is killed
for (;;) {
  const sessionId = randomUUID();
  const outcome = await store.connect(
    {
      ...{ sessionId, deviceId, accountId, keyId },
      ...{ minutes: 30, appId: null, record: null, recordText: false, idempotency: null },
    },
    event('connect'),
  );
  if (!outcome.ok) throw new Error(`the connect was rejected: ${JSON.stringify(outcome.refusal)}`);
  writeSync(1, `connected ${sessionId}\n`);
  await store.end({ sessionId, reason: 'client' }, event('end'));
  writeSync(1, `ended ${sessionId}\n`);
  const { hostId, status, ...phone } = description;
  const report = { usable: true, problem: null, cleanEpoch: outcome.session.epoch, lease: null };
  await store.reportHost({
    ...{ hostId, hostName: 'shelf', complete: true },
    phones: [{ description: phone, ...report }],
  });
}
