import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { InProcessLinks } from '../../link/in-process.ts';
import { TicketIssuer } from '../../link/ticket-issuer.ts';
import { silentLog } from '../../util/log.ts';
import { handleAppRequest } from './app-requests.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-app-'));
  await writeFile(join(folder, '0.apk'), 'content');
});
afterAll(() => rm(folder, { recursive: true }));

test('limits the links of each session, and counts a link until its host closes it', async () => {
  const links = new InProcessLinks();
  await using listener = links.listen('api');
  const store = {
    getSession: async (id: string) => ({
      id,
      hostId: 'h1',
      epoch: 1,
      status: 'connected',
      accountId: 'acc_1',
    }),
    getKeptApp: async (id: string) => ({ id, accountId: 'acc_1' }),
  };
  const appFiles = { list: async () => [join(folder, '0.apk')] };
  const context = { store, appFiles, tickets: new TicketIssuer(listener), log: silentLog } as never;
  const transfer = async (sessionId: string) => {
    const lease = { sessionId, epoch: 1 };
    const { ingest, ticket } = await handleAppRequest(context, { ...lease, appId: 'app_1' }, 'h1');
    const received = Promise.withResolvers<unknown>();
    const link = await links.dial(ingest, { ...lease, purpose: 'app', ticket });
    link.onMessage(received.resolve);
    expect(String(await received.promise)).toBe('content');
    return link;
  };
  const opened = [];
  for (let n = 0; n < 4; n += 1) opened.push(await transfer('ses_1'));
  await expect(transfer('ses_1')).rejects.toThrow('4 transfers of apps are in progress for session ses_1');
  opened.push(await transfer('ses_2'));
  for (const link of opened) link.close();
  const again = await vi.waitFor(() => transfer('ses_1'), { timeout: 60_000 });
  again.close();
});
