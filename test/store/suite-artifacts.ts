import { describe, expect, test } from 'vitest';
import type { ArtifactFacts } from '../../src/store/artifacts/artifact-store.ts';
import type { SessionRow } from '../../src/store/entities.ts';
import { artifactOf, recordedLease, storedArtifact } from './artifacts.ts';
import { expectInvariants } from './invariants.ts';
import { type Account, MINUTE, type World } from './world.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MAX_ARTIFACTS = 6;
const NO_RECORDING = { ok: false, refusal: { why: 'no-recording' } };

export function artifactTests(world: World): void {
  const recorded = async (account: Account, deviceId = 'd1') => {
    await world.report([{ id: deviceId }], { complete: false });
    return world.startSession(account, deviceId, { record: true });
  };
  const reserve = (session: SessionRow, facts: ArtifactFacts, lease = {}) =>
    world.store.reserveArtifact({ ...recordedLease(session), ...lease }, facts, {
      maxArtifacts: MAX_ARTIFACTS,
    });
  /** Reserves an artifact and returns its id. Fails the test if it is refused. */
  const reserved = async (session: SessionRow, facts: ArtifactFacts) => {
    const outcome = await reserve(session, facts);
    if (!outcome.ok) throw new Error(`the artifact was rejected: ${outcome.refusal.why}`);
    return outcome.artifact.id;
  };
  const namesOf = async ({ id: sessionId, accountId }: SessionRow) =>
    (await world.store.listArtifacts({ sessionId, accountId }))?.map(({ name }) => name);
  const usedBytes = async ({ accountId }: Account) =>
    (await world.store.getUsage(accountId))!.artifact_bytes.used;
  const deleted = () => world.store.listDeletedArtifacts(100);

  describe('artifacts', () => {
    test('are listed by their offset once they are stored, with every field', async () => {
      const session = await recorded(await world.account());
      const { id: sessionId, accountId } = session;
      const facts = artifactOf('video-2.mp4', { offsetMs: 9_000, size: 5 * 1024 ** 3 });
      const outcome = await reserve(session, facts);
      if (!outcome.ok) throw new Error('the artifact was rejected');
      const { artifact } = outcome;
      expect(outcome).toEqual({
        ...{ ok: true, isStored: false },
        artifact: { ...facts, id: expect.any(String), sessionId, accountId, createdAt: expect.any(Number) },
      });
      const query = { artifactId: artifact.id, sessionId, accountId };
      expect(await world.store.listArtifacts({ sessionId, accountId })).toEqual([]);
      expect(await world.store.getArtifact(query)).toBeNull();
      expect(await world.store.deleteArtifact(query)).toBeNull();
      expect(await world.store.storeArtifact(artifact.id)).toBe(true);
      const log = { kind: 'log', durationMs: null, width: null, height: null, size: 0 } as const;
      await storedArtifact(world.store, session, artifactOf('log.jsonl', log));
      expect(await world.store.listArtifacts({ sessionId })).toMatchObject([{ name: 'log.jsonl' }, artifact]);
      expect(await world.store.getArtifact(query)).toEqual(artifact);
      const targets = [{ kind: 'artifact' as const, id: artifact.id }];
      expect((await world.store.nameTargets(targets)).get('artifact')?.get(artifact.id)).toBe('video-2.mp4');
    });

    test('of a host that was revoked are refused', async () => {
      const session = await recorded(await world.account());
      const artifactId = await reserved(session, artifactOf('video-1.mp4'));
      await world.store.revokeHost(session.hostId);
      expect(await reserve(session, artifactOf('video-2.mp4'))).toEqual(NO_RECORDING);
      expect(await world.store.finishRecording(recordedLease(session), null)).toBeNull();
      expect(await world.store.getArtifact({ artifactId, sessionId: session.id })).toBeNull();
    });

    test('are reserved once for repeated requests, also concurrent ones', async () => {
      const account = await world.account();
      const session = await recorded(account);
      const facts = artifactOf('video-1.mp4');
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => reserve(session, facts)));
      expect(new Set(outcomes.map((outcome) => outcome.ok && outcome.artifact.id)).size).toBe(1);
      expect(await usedBytes(account)).toBe(1_000);
      const artifactId = await reserved(session, facts);
      expect(await world.store.storeArtifact(artifactId)).toBe(true);
      expect(await world.store.storeArtifact(artifactId)).toBe(true);
      expect(await world.store.getSession(session.id)).toMatchObject({ recording: { artifacts: 1 } });
      const again = { ok: true, isStored: true, artifact: { id: artifactId, size: 1_000 } };
      expect(await reserve(session, { ...facts, size: 7 })).toMatchObject(again);
      const { id: sessionId, accountId } = session;
      await world.store.deleteArtifact({ artifactId, sessionId, accountId });
      expect(await reserve(session, facts)).toMatchObject(again);
    });

    test('that were deleted do not return if their host repeats the upload', async () => {
      const account = await world.account();
      const session = await recorded(account);
      const { id: sessionId, accountId } = session;
      const facts = [artifactOf('video-1.mp4'), artifactOf('video-2.mp4')] as const;
      const remove = async (artifactId: string) => {
        await world.store.deleteArtifact({ artifactId, sessionId, accountId });
        await world.store.purgeArtifacts([artifactId]);
      };
      const first = await storedArtifact(world.store, session, facts[0]);
      const second = await storedArtifact(world.store, session, facts[1]);
      await remove(first);
      expect(await deleted()).toEqual([]);
      expect(await usedBytes(account)).toBe(1_000);
      expect(await reserve(session, facts[0])).toMatchObject({ isStored: true, artifact: { id: first } });
      expect(await namesOf(session)).toEqual(['video-2.mp4']);
      await world.store.finishRecording(recordedLease(session), null);
      expect(await world.query(`select id from artifacts where id = '${first}'`)).toEqual([]);
      const finished = { ok: false, refusal: { why: 'finished' } };
      expect(await reserve(session, facts[0])).toEqual(finished);
      expect(await reserve(session, facts[1])).toMatchObject({ isStored: true, artifact: { id: second } });
      await remove(second);
      expect(await reserve(session, facts[1])).toEqual(finished);
      expect(await world.query('select id from artifacts')).toEqual([]);
      await expectInvariants(world);
    });

    test('get another identifier if they change before they are stored', async () => {
      const account = await world.account();
      const session = await recorded(account);
      const first = await reserved(session, artifactOf('video-1.mp4'));
      const second = await reserved(session, artifactOf('video-1.mp4', { size: 400 }));
      expect(second).not.toBe(first);
      expect(await deleted()).toEqual([first]);
      expect(await world.store.storeArtifact(first)).toBe(false);
      expect(await world.store.storeArtifact(second)).toBe(true);
      expect(await world.store.listArtifacts({ sessionId: session.id })).toMatchObject([{ size: 400 }]);
      await world.store.purgeArtifacts([first]);
      expect(await usedBytes(account)).toBe(400);
    });

    test('are refused for another lease or host, and for a session that is not recorded', async () => {
      const account = await world.account();
      const session = await recorded(account);
      await world.report([{ id: 'd2' }], { complete: false });
      const silent = await world.startSession(account, 'd2');
      const facts = artifactOf('video-1.mp4');
      for (const lease of [{ hostId: 'host-2' }, { epoch: session.epoch + 1 }, { sessionId: 'ses_none' }]) {
        expect(await reserve(session, facts, lease)).toEqual(NO_RECORDING);
        expect(await world.store.finishRecording({ ...recordedLease(session), ...lease }, null)).toBeNull();
      }
      expect(await reserve(silent, facts)).toEqual(NO_RECORDING);
      expect(await world.store.finishRecording(recordedLease(silent), null)).toBeNull();
      expect(await world.store.getSession(silent.id)).toMatchObject({ recording: null });
    });

    test('are visible to their account only', async () => {
      const session = await recorded(await world.account());
      const { accountId } = await world.account();
      const artifactId = await storedArtifact(world.store, session);
      const query = { artifactId, sessionId: session.id, accountId };
      expect(await world.store.listArtifacts(query)).toBeNull();
      expect(await world.store.getArtifact(query)).toBeNull();
      expect(await world.store.deleteArtifact(query)).toBeNull();
      const other = await recorded(await world.account(), 'd2');
      const elsewhere = { artifactId, sessionId: other.id, accountId: other.accountId };
      expect(await world.store.getArtifact(elsewhere)).toBeNull();
      expect(await namesOf(session)).toEqual(['video-1.mp4']);
    });

    test('are limited per session', async () => {
      const account = await world.account();
      const session = await recorded(account);
      const names = Array.from({ length: MAX_ARTIFACTS + 2 }, (_, n) => `screenshot-${n}.png`);
      const outcomes = await Promise.all(names.map((name) => reserve(session, artifactOf(name))));
      const refused = outcomes.filter(({ ok }) => !ok);
      expect(refused).toEqual(Array(2).fill({ ok: false, refusal: { why: 'too-many' } }));
      expect(await usedBytes(account)).toBe(MAX_ARTIFACTS * 1_000);
      expect(await reserve(await recorded(account, 'd2'), artifactOf(names[0]!))).toMatchObject({ ok: true });
    });

    test('count towards the account’s storage until their content is deleted, also concurrently', async () => {
      const account = await world.account({ maxArtifactBytes: 3_500 });
      const { accountId } = account;
      const other = await recorded(await world.account({ maxArtifactBytes: 1_000 }), 'd9');
      const sessions = [await recorded(account), await recorded(account, 'd2')];
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) => reserve(sessions[n % 2]!, artifactOf(`video-${n}.mp4`))),
      );
      const kept = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.artifact] : []));
      expect(kept).toHaveLength(3);
      const { limit, used } = { limit: 3_500, used: 3_000 };
      const shortfall = { kind: 'artifact_bytes', limit, used, requested: 1_000, resets_at: null };
      expect(outcomes.find(({ ok }) => !ok)).toEqual({
        ok: false,
        refusal: { why: 'quota', shortfall, room: 500 },
      });
      expect(await world.store.getUsage(accountId)).toMatchObject({ artifact_bytes: { limit, used } });
      expect(await world.store.getArtifactRoom(accountId)).toBe(500);
      expect(await reserve(other, artifactOf('video-1.mp4'))).toMatchObject({ ok: true });
      const [{ id: artifactId, sessionId }] = kept as [(typeof kept)[number]];
      await world.store.storeArtifact(artifactId);
      await world.store.deleteArtifact({ artifactId, sessionId, accountId });
      const more = () => reserve(sessions[0]!, artifactOf('video-100.mp4'));
      expect(await more()).toMatchObject({ ok: false });
      await Promise.all([1, 2].map(() => world.store.purgeArtifacts([artifactId, kept[1]!.id])));
      expect(await usedBytes(account)).toBe(2_000);
      expect(await more()).toMatchObject({ ok: true });
      await world.store.updateAccount({ accountId, maxArtifactBytes: 10 });
      expect(await world.store.getArtifactRoom(accountId)).toBe(0);
      const change = { accountId, maxArtifactBytes: null, artifactDays: 7, recordSessions: true };
      expect(await world.store.updateAccount(change)).toMatchObject({
        account: { maxArtifactBytes: null, artifactDays: 7, recordSessions: true, artifactBytes: 3_000 },
      });
      expect(await world.store.getArtifactRoom(accountId)).toBeNull();
      await expectInvariants(world);
    });

    test('that are too large are rejected with the size that would fit, which a repeat finds again', async () => {
      const session = await recorded(await world.account({ maxArtifactBytes: 3_500 }));
      await reserved(session, { ...artifactOf('events.jsonl'), size: 500 });
      const ask = (size: number) => reserve(session, { ...artifactOf('video-1.mp4'), size });
      const rejected = { ok: false, refusal: { why: 'quota', room: 3_000 } };
      expect(await ask(5_000)).toMatchObject(rejected);
      const part = await ask(2_900);
      expect(part).toMatchObject({ ok: true, isStored: false });
      // The host repeats the upload: the space of its reservation counts as free for the same artifact.
      expect(await ask(5_000)).toMatchObject({ ok: false, refusal: { why: 'quota', room: 2_900 } });
      expect(await ask(2_900)).toEqual(part);
      expect(await reserve(session, { ...artifactOf('video-2.mp4'), size: 200 })).toMatchObject({
        refusal: { room: 100 },
      });
    });

    test('are purged only after they were deleted, oldest first', async () => {
      const session = await recorded(await world.account());
      const { id: sessionId, accountId } = session;
      const ids = [];
      for (const name of ['video-1.mp4', 'video-2.mp4', 'video-3.mp4'])
        ids.push(await storedArtifact(world.store, session, artifactOf(name)));
      const [first, second, third] = ids as [string, string, string];
      for (const artifactId of [second, first]) {
        world.travel(1_000);
        const query = { artifactId, sessionId, accountId };
        expect(await world.store.deleteArtifact(query)).toMatchObject({ id: artifactId });
        expect(await world.store.deleteArtifact(query)).toBeNull();
      }
      expect(await namesOf(session)).toEqual(['video-3.mp4']);
      expect(await world.store.listDeletedArtifacts(1)).toEqual([second]);
      await world.store.purgeArtifacts([second, third]);
      expect(await deleted()).toEqual([first]);
      expect(await namesOf(session)).toEqual(['video-3.mp4']);
      // Deleted artifacts still count as stored, because the recording did not fail
      expect(await world.store.getSession(sessionId)).toMatchObject({ recording: { artifacts: 3 } });
      await expectInvariants(world);
    });

    test('expire by the setting of their account, with an audit entry for each session', async () => {
      const weekly = await world.account({ artifactDays: 7 });
      const keeping = await world.account({ artifactDays: null });
      const sessions = [await recorded(weekly), await recorded(weekly, 'd2'), await recorded(keeping, 'd3')];
      for (const session of sessions) {
        for (const name of ['video-1.mp4', 'video-2.mp4'])
          await storedArtifact(world.store, session, artifactOf(name));
      }
      const expire = (limit = 100) => world.store.expireArtifacts({ limit, abandonedMs: 30 * DAY });
      world.travel(7 * DAY - HOUR);
      await storedArtifact(world.store, sessions[0]!, artifactOf('video-3.mp4'));
      expect(await expire()).toBe(0);
      world.travel(2 * HOUR);
      expect(await expire(3)).toBe(3);
      expect(await expire(3)).toBe(1);
      expect(await expire()).toBe(0);
      expect(await Promise.all(sessions.map(namesOf))).toEqual([
        ['video-3.mp4'],
        [],
        ['video-1.mp4', 'video-2.mp4'],
      ]);
      expect(await deleted()).toHaveLength(4);
      const { items } = await world.store.listAudit({ page: 1, pageSize: 100, action: 'artifacts.expire' });
      for (const { account, key, code } of items)
        expect({ account: account?.id, key, code }).toEqual({
          account: weekly.accountId,
          key: null,
          code: 0,
        });
      const targets = new Set(items.map((entry) => JSON.stringify(entry.targets)));
      const expected = sessions.slice(0, 2).map(({ id }) => JSON.stringify([{ kind: 'session', id }]));
      expect(targets).toEqual(new Set(expected));
    });

    test('whose upload was abandoned are deleted, and can be uploaded again', async () => {
      const session = await recorded(await world.account({ artifactDays: 1 }));
      const facts = artifactOf('video-1.mp4');
      const abandoned = await reserved(session, facts);
      const expire = () => world.store.expireArtifacts({ limit: 10, abandonedMs: 2 * DAY });
      world.travel(2 * DAY - HOUR);
      expect(await expire()).toBe(0);
      world.travel(2 * HOUR);
      expect(await expire()).toBe(1);
      expect(await world.store.storeArtifact(abandoned)).toBe(false);
      const again = await reserved(session, facts);
      expect(again).not.toBe(abandoned);
      expect(await world.store.storeArtifact(again)).toBe(true);
      expect(await namesOf(session)).toEqual(['video-1.mp4']);
      expect((await world.store.listAudit({ page: 1, pageSize: 1 })).total).toBe(0);
    });
  });
}
