import { expect, test } from 'vitest';
import type { HostReport } from '../../store/hosts/host-store.ts';
import { silentLog } from '../../util/log.ts';
import { noSteps } from '../../util/steps.ts';
import { handleReport } from './reports.ts';
import { handleSessionEnded } from './session-ended.ts';

const UNSAFE = 'a\u001b[2Jb\nc\u202ed';
const SAFE = 'a [2Jb c d';

const common = { bus: null as never, log: silentLog, webhooks: null as never, meter: null as never };

test('sanitises the texts of a report and drops phones with invalid identifiers before storing it', async () => {
  const stored: HostReport[] = [];
  const store = {
    reportHost: async (report: HostReport) => {
      stored.push(report);
      return { assignments: [], changed: [], wasLost: false, refused: [] };
    },
  };
  const phone = (id: string) => ({
    description: {
      ...{ id, name: UNSAFE, brand: UNSAFE, model: UNSAFE, os_version: UNSAFE },
      ...{ screen_size: '6.1', resolution: '1080x2400' },
    },
    ...{ usable: false, problem: UNSAFE, cleanEpoch: null },
    lease: {
      ...{ sessionId: 'ses_1', epoch: 1, connected: true },
      app: { request: 1, status: 'failed' as const, error: UNSAFE },
    },
  });
  const answer = await handleReport(
    { ...common, store: store as never, steps: noSteps, hostsMustBeKnown: true, maxDevicesPerHost: 7 },
    { hostName: UNSAFE, complete: true, phones: [phone('d1'), phone('d\n2')] },
    'host-1',
  );
  expect(stored).toMatchObject([
    {
      ...{ hostId: 'host-1', hostName: SAFE, mustBeKnown: true, maxDevices: 7 },
      phones: [
        {
          description: { id: 'd1', name: SAFE, brand: SAFE, model: SAFE, os_version: SAFE },
          problem: SAFE,
          lease: { app: { error: SAFE } },
        },
      ],
    },
  ]);
  expect(answer.refused).toEqual([
    '1 phone has an invalid identifier; an identifier must have 1 to 128 letters, digits and . : _ -',
  ]);
});

test('sanitises the detail of an ended session before storing it', async () => {
  const details: unknown[] = [];
  const store = {
    end: async ({ detail }: { detail: string }) => {
      details.push(detail);
      return null;
    },
  };
  const ended = { sessionId: 'ses_1', epoch: 1, reason: 'device_lost' as const };
  const context = { ...common, store: store as never };
  await handleSessionEnded(context, { ...ended, detail: UNSAFE.repeat(200) }, 'host-1');
  await handleSessionEnded(context, { ...ended, detail: null }, 'host-1');
  expect(details).toEqual([SAFE.repeat(200).slice(0, 500), undefined]);
});
