import type { Engine } from '../engine/engine.ts';
import type { SessionRow, Timestamp } from '../entities.ts';
import { sessionRow } from '../rows.ts';
import { type Changes, isEmpty, type KnownPhone } from './reconcile.ts';
import { progressed, replaceUnchanged } from './report-changes.ts';

/** The devices as they are after the changes, and the sessions that changed. */
interface Applied {
  known: KnownPhone[];
  changed: SessionRow[];
}

/**
 * Applies changes that need no transaction: none, a device of the host that was cleaned or changed otherwise, or a session
 * that was connected. Nearly all reports that change anything change one of these, and a transaction has three times as
 * many statements. Returns null, and has changed nothing, if there are other changes, or if the device or session is no
 * longer as it was read.
 */
export async function applyAtOnce(
  engine: Engine,
  changes: Changes,
  known: KnownPhone[],
  now: Timestamp,
): Promise<Applied | null> {
  if (isEmpty(changes)) return { known, changed: [] };
  const { devices, ended, progress } = changes;
  if (ended.length > 0 || devices.length + progress.length > 1) return null;
  const [next] = devices;
  if (next) {
    const row = known.find(({ id }) => id === next.id);
    if (!row || row.host_id !== next.host_id || row.forgotten === 1 || next.forgotten === 1) return null;
    const replaced = await engine.run(replaceUnchanged(next, row));
    if (replaced.length === 0) return null;
    return { known: known.map((each) => (each === row ? { ...row, ...next } : each)), changed: [] };
  }
  const [step] = progress;
  if (!step || step.app) return null;
  const [session] = await engine.run(progressed(step, now));
  return session ? { known, changed: [sessionRow(session, now)] } : null;
}
