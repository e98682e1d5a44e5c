import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SessionRow } from '../../src/store/entities.ts';
import { artifactOf, recordedLease, storedArtifact } from './artifacts.ts';
import { type Account, MINUTE, type World } from './world.ts';

const HOUR = 60 * MINUTE;
const NEW = { text: false, isFinished: false, detail: null, artifacts: 0 };
/** Whether the account records by default, what the request says, and what the session then has. */
const CHOICES = [
  [false, null, null],
  [true, null, NEW],
  [false, true, NEW],
  [true, false, null],
] as const;

export function recordingTests(world: World): void {
  const recorded = async (account?: Account, deviceId = 'd1') => {
    await world.report([{ id: deviceId }], { complete: false });
    return world.startSession(account ?? (await world.account()), deviceId, { record: true });
  };
  const recordingOf = async ({ id }: SessionRow) => (await world.store.getSession(id))!.recording;
  const end = ({ id: sessionId }: SessionRow) => world.store.end({ sessionId, reason: 'client' });
  const finish = (session: SessionRow, detail: string | null = null) =>
    world.store.finishRecording(recordedLease(session), detail);
  const failSilent = async (limit = 10) =>
    (await world.store.failSilentRecordings({ silentMs: HOUR, limit })).map(({ id }) => id);

  /** Returns the identifiers of the objects whose events `work` causes, sorted. */
  async function eventsOf(work: () => Promise<unknown>): Promise<string[]> {
    const { cursor } = await world.store.readEvents(null, 1_000);
    await work();
    const { events } = await world.store.readEvents(cursor, 1_000);
    return events.map(({ id }) => id).sort();
  }

  describe('recordings', () => {
    test.each(CHOICES)('of an account with default %j begin with record %j as %j', async (...choice) => {
      const [recordSessions, record, recording] = choice;
      const account = await world.account({ recordSessions });
      const idempotency = { key: 'k', fingerprint: 'f' };
      await world.report([{ id: 'd1' }, { id: 'd2' }, { id: 'd3' }]);
      const session = await world.startSession(account, 'd1', { record, idempotency });
      expect(session.recording).toEqual(recording);
      expect(await recordingOf(session)).toEqual(recording);
      expect(await world.startSession(account, 'd1', { record, idempotency })).toMatchObject({ recording });
      const texts = await world.startSession(account, 'd2', { record, recordText: true });
      expect(texts.recording).toEqual(recording && { ...recording, text: true });
      const { accountId, keyId } = account;
      const borrowed = await world.store.borrow({
        ...{ sessionId: randomUUID(), accountId, keyId, minutes: 5, appId: null, record, recordText: true },
        ...{ idempotency: null, filter: { brand: '', osVersion: '', model: '' }, wait: null },
      });
      expect(borrowed).toMatchObject({ session: { recording: texts.recording } });
    });

    test.each(CHOICES)(
      'of a waiter of an account with default %j and record %j are %j',
      async (...choice) => {
        const [recordSessions, record, recording] = choice;
        const account = await world.account({ recordSessions });
        await world.report([{ id: 'd1' }]);
        const first = await world.startSession(await world.account(), 'd1');
        const { accountId, keyId } = account;
        const filter = { brand: '', osVersion: '', model: '' };
        const wait = { processId: 'p1', maxWaiting: 10, maxWaitingPerAccount: 10 };
        const sessionId = randomUUID();
        await world.store.borrow({
          ...{ sessionId, accountId, keyId, minutes: 5, appId: null, record, recordText: true },
          ...{ idempotency: null, filter, wait },
        });
        await end(first);
        await world.report([{ id: 'd1', cleanEpoch: first.epoch }]);
        const turn = await world.store.nextTurn({ processId: 'p1', filter });
        expect(turn).toMatchObject({
          sessionId,
          outcome: { session: { recording: recording && { ...recording, text: true } } },
        });
      },
    );

    test('are part of the order to the host while the session is live, with the remaining storage', async () => {
      const account = await world.account({ maxArtifactBytes: 5_000 });
      const session = await recorded(account);
      await world.report([{ id: 'd2' }], { complete: false });
      await world.startSession(account, 'd2', { recordText: true });
      const orders = async () =>
        (await world.report([{ id: 'd1' }, { id: 'd2' }])).assignments.map(({ lease }) => lease?.recording);
      expect(await orders()).toEqual([{ text: false, maxBytes: 5_000 }, null]);
      await storedArtifact(world.store, session, artifactOf('video-1.mp4', { size: 4_000 }));
      expect(await orders()).toEqual([{ text: false, maxBytes: 1_000 }, null]);
      const { accountId } = account;
      await world.store.updateAccount({ accountId, maxArtifactBytes: 10 });
      expect(await orders()).toEqual([{ text: false, maxBytes: 0 }, null]);
      await world.store.updateAccount({ accountId, maxArtifactBytes: null });
      expect(await orders()).toEqual([{ text: false, maxBytes: null }, null]);
      await finish(session, 'the host was restarted');
      expect(await orders()).toEqual([null, null]);
      await end(session);
      expect(await orders()).toEqual([undefined, null]);
    });

    test('finish once, which is an event of the session', async () => {
      const session = await recorded();
      await world.bringUp(session);
      await end(session);
      expect(await eventsOf(() => storedArtifact(world.store, session))).toEqual([]);
      const finished = { text: false, isFinished: true, detail: 'the disk was full', artifacts: 1 };
      const first = () => finish(session, 'the disk was full');
      expect(await eventsOf(first)).toEqual([session.id]);
      expect(await eventsOf(first)).toEqual([]);
      expect(await first()).toMatchObject({ id: session.id, recording: finished });
      expect(await recordingOf(session)).toEqual(finished);
      expect(await eventsOf(() => finish(session, 'another reason'))).toEqual([]);
    });

    test('fail if their host does not upload after the end, and recover if it uploads later', async () => {
      const [silent, uploading, live, unstarted] = [
        await recorded(),
        await recorded(undefined, 'd2'),
        await recorded(undefined, 'd3'),
        await recorded(undefined, 'd4'),
      ];
      for (const session of [silent, uploading, live]) await world.bringUp(session);
      for (const session of [silent, uploading, unstarted]) await end(session);
      expect(await eventsOf(failSilent)).toEqual([unstarted.id]);
      expect(await recordingOf(unstarted)).toMatchObject({ isFinished: true, artifacts: 0 });
      world.travel(HOUR - MINUTE);
      await storedArtifact(world.store, uploading);
      expect(await failSilent()).toEqual([]);
      world.travel(2 * MINUTE);
      expect(await eventsOf(failSilent)).toEqual([silent.id]);
      expect(await recordingOf(silent)).toMatchObject({ detail: expect.stringContaining('did not finish') });
      world.travel(HOUR);
      expect(await failSilent(1)).toEqual([uploading.id]);
      expect(await failSilent()).toEqual([]);
      expect(await recordingOf(live)).toEqual(NEW);
      expect(await eventsOf(() => storedArtifact(world.store, silent))).toEqual([silent.id]);
      expect(await eventsOf(() => finish(silent))).toEqual([silent.id]);
      expect(await recordingOf(silent)).toEqual({ ...NEW, isFinished: true, artifacts: 1 });
      const later = artifactOf('video-2.mp4');
      expect(await eventsOf(() => storedArtifact(world.store, uploading, later))).toEqual([]);
    });
  });
}
