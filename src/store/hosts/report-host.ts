import { CLAIM_RENEWED_AFTER_MS } from '../../domain/device-host.ts';
import { artifactRoomOf } from '../artifacts/artifact-storage.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { SessionRow, Timestamp } from '../entities.ts';
import { sessionRow } from '../rows.ts';
import { endSessions } from '../sessions/ending.ts';
import { applyAtOnce } from './apply-at-once.ts';
import type { Assignment, HostReport, RefusedPhone } from './host-store.ts';
import { assignmentOf, isIntroducedBy, type KnownPhone, reconcile } from './reconcile.ts';
import { insertDevices, progressed, replaceDevices } from './report-changes.ts';

type Answer = {
  assignments: Assignment[];
  changed: SessionRow[];
  wasLost: boolean;
  refused: RefusedPhone[];
};

/**
 * Most reports name no device and cost one small update. Most of the rest change nothing and cost one additional read
 * without locks. If that read shows one difference, one more statement usually applies it. Otherwise a transaction reads
 * everything again under locks and applies the changes.
 */
export async function reportHost(engine: Engine, report: HostReport): Promise<Answer | null> {
  const [host] = await engine.run(recordReport(report, engine));
  if (!host) return null;
  const wasLost = host.lost === 1;
  const isAboutPhones = report.complete || report.phones.length > 0;
  const known = isAboutPhones ? await engine.run(knownPhones(engine, report)) : [];
  const room = introducesNone(report, known) ? 0 : (await engine.run(roomOf(report)))[0]!.room;
  const changes = reconcile(report, known, room);
  await recordClaims(engine, report.hostId, changes.refused, known, host.last_seen);
  const applied = wasLost ? null : await applyAtOnce(engine, changes, known, host.last_seen);
  if (applied) {
    const orders = assignments(report, applied.known, host.last_seen);
    return { assignments: orders, changed: applied.changed, wasLost, refused: changes.refused };
  }
  const [own, claimed] = splitClaims(report, changes.refused);
  const answer = await engine.transact((now) => applyReport(engine, own, now));
  return { ...answer, refused: [...claimed, ...answer.refused], wasLost };
}

/**
 * Separates the devices of other hosts from a report, so that it does not lock their rows. If such a device is
 * released after this read, the next report takes it.
 */
function splitClaims(report: HostReport, refused: RefusedPhone[]): [HostReport, RefusedPhone[]] {
  const claimed = refused.filter(isClaim);
  const ids = new Set(claimed.map(({ deviceId }) => deviceId));
  return [
    { ...report, phones: report.phones.filter(({ description }) => !ids.has(description.id)) },
    claimed,
  ];
}

const isClaim = ({ why }: RefusedPhone) => why.reason === 'other-host';

/** Whether every device in the report is already a device of this host. */
function introducesNone({ hostId, phones }: HostReport, known: KnownPhone[]): boolean {
  const own = new Set(known.filter((row) => isIntroducedBy(hostId, row)).map(({ id }) => id));
  return phones.every(({ description }) => own.has(description.id));
}

/** Number of devices that the host may still introduce. */
function roomOf({ hostId, maxDevices = Number.MAX_SAFE_INTEGER }: HostReport): Sql<{ room: number }> {
  return sql`
    select cast(${maxDevices} as bigint) - count(*) as room from devices where host_id = ${hostId} and forgotten = 0`;
}

/**
 * Records which other host reports a device, so that operators can see it. Hosts report every few seconds, so that it
 * is written rarely. A row that is locked is skipped until the next report, because the host that claims the device
 * must not wait for transactions of its users.
 */
async function recordClaims(
  engine: Engine,
  hostId: string,
  refused: RefusedPhone[],
  known: KnownPhone[],
  now: Timestamp,
): Promise<void> {
  const claims = new Set(refused.filter(isClaim).map(({ deviceId }) => deviceId));
  const due = known.filter(
    ({ id, claimed_at }) => claims.has(id) && (claimed_at ?? 0) < now - CLAIM_RENEWED_AFTER_MS,
  );
  if (due.length === 0) return;
  const ids = engine.dialect.isOneOf(due.map(({ id }) => id));
  await engine.run(
    sql`
      update devices set claimed_by = ${hostId}, claimed_at = ${now} where id in (
        select id from devices where id ${ids} and host_id <> ${hostId} order by id ${engine.dialect.forUpdateSkipLocked})`,
  );
}

function* applyReport(
  engine: Engine,
  report: HostReport,
  now: Timestamp,
): Transaction<Omit<Answer, 'wasLost'>> {
  yield* all(sql`update hosts set lost = 0, last_seen = ${now} where id = ${report.hostId}`);
  if (engine.dialect.supportsConcurrentWriters) {
    yield* all(
      sql`select id from devices d where ${concerned(engine, report)} order by id ${engine.dialect.forUpdate}`,
    );
  }
  // The rows that `reportHost` has read may have changed before they were locked.
  const before = yield* all(knownPhones(engine, report));
  const room = introducesNone(report, before) ? 0 : (yield* first(roomOf(report)))!.room;
  const changes = reconcile(report, before, room);
  const changed = yield* endSessions(engine.dialect, changes.ended, now);
  for (const progress of changes.progress) {
    const row = yield* first(progressed(progress, now));
    if (row) changed.push(sessionRow(row, now));
  }
  const ids = new Set(before.map(({ id }) => id));
  const isKnown = ({ id }: { id: string }) => ids.has(id);
  const introduced = changes.devices.filter((device) => !isKnown(device));
  yield* replaceDevices(changes.devices.filter(isKnown));
  // Fails if another host introduces the same device at this moment. The transaction is then run again, and finds that
  // the device belongs to that host.
  yield* insertDevices(introduced);
  // No session refers to them. Rows that stayed would not count against the host's limit, and would never go.
  if (changes.devices.some(({ forgotten, epoch }) => forgotten === 1 && epoch === 0)) {
    yield* all(
      sql`delete from devices where host_id = ${report.hostId} and forgotten = 1 and epoch = 0 and clean_epoch < 0`,
    );
  }
  // Read again instead of computed: `endSessions` decides on newer rows which sessions end, and a session can be extended
  // or get an app meanwhile, without the locks of devices.
  const known = yield* all(knownPhones(engine, report));
  return { assignments: assignments(report, known, now), changed, refused: changes.refused };
}

const assignments = (report: HostReport, known: KnownPhone[], now: Timestamp) =>
  known
    .filter((row) => row.host_id === report.hostId && row.present === 1)
    .map((row) => assignmentOf(row, now));

/** Returns no row when the host is revoked or is not allowed to report. */
function recordReport(report: HostReport, { dialect }: Engine): Sql<Tables['hosts']> {
  const { hostId, hostName } = report;
  const now = dialect.currentTime();
  if (report.mustBeKnown) {
    return sql`update hosts set last_seen = ${now} where id = ${hostId} and revoked_at is null returning *`;
  }
  return sql`
    insert into hosts (id, name, last_seen) values (${hostId}, ${hostName}, ${now})
    on conflict (id) do update set last_seen = excluded.last_seen,
      name = case when hosts.public_key is null then excluded.name else hosts.name end
    where hosts.revoked_at is null
    returning *`;
}

/** The devices that a report names and, if it is complete, all devices of its host. */
function concerned({ dialect }: Engine, { hostId, complete, phones }: HostReport): Sql<unknown> {
  const named = sql`d.id ${dialect.isOneOf(phones.map((phone) => phone.description.id))}`;
  return complete ? sql`(d.host_id = ${hostId} or ${named})` : named;
}

function knownPhones(engine: Engine, report: HostReport): Sql<KnownPhone> {
  return sql`
    select d.*, case when h.revoked_at is null then 0 else 1 end as host_revoked, s.id as session_id, s.epoch as session_epoch, s.status as session_status,
      s.expires_at as session_expires_at, s.app_id as session_app_id, s.app_request as session_app_request,
      s.app_status as session_app_status, s.record_text as session_record_text,
      case when s.recording_finished_at is null then s.record end as session_record,
      case when s.record = 1 then ${artifactRoomOf(sql`s.account_id`)} end as session_artifact_room
    from devices d join hosts h on h.id = d.host_id
    left join sessions s on s.device_id = d.id and s.status <> 'disconnected'
    where ${concerned(engine, report)} order by d.id`;
}
