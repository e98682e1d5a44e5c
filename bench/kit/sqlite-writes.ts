import Database from 'better-sqlite3';
import { deviceId } from './shelf.ts';

/**
 * Performs the fewest writes that can record a connect and a disconnect, on a file as durable as the store's. The
 * connect inserts a session row and updates the phone's row, and the disconnect updates both again. There are no
 * indexes except the primary keys, no quota and no checks. `pairsPerCommit` connects share one commit, and so do
 * their disconnects. Returns pairs per second.
 */
export function writeBareSqlite(
  file: string,
  { seconds, pairsPerCommit, phones }: { seconds: number; pairsPerCommit: number; phones: number },
): number {
  using closing = new DisposableStack();
  const db = new Database(file);
  closing.defer(() => db.close());
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('create table devices (id text primary key, status text not null) without rowid');
  db.exec('create table sessions (id text primary key, device_id text, status text, created_at integer)');
  const add = db.prepare('insert into devices values (?, ?)');
  db.transaction(() => {
    for (let n = 0; n < phones; n++) add.run(deviceId(n), 'available');
  })();
  const insert = db.prepare('insert into sessions values (?, ?, ?, ?)');
  const setStatus = db.prepare('update devices set status = ? where id = ?');
  const end = db.prepare('update sessions set status = ? where id = ?');
  const connect = db.transaction((ids: string[][]) => {
    for (const [session, device] of ids) {
      insert.run(session, device, 'connecting', Date.now());
      setStatus.run('busy', device);
    }
  });
  const disconnect = db.transaction((ids: string[][]) => {
    for (const [session, device] of ids) {
      end.run('disconnected', session);
      setStatus.run('available', device);
    }
  });
  const start = performance.now();
  let pairs = 0;
  while (performance.now() - start < seconds * 1000) {
    const ids = Array.from({ length: pairsPerCommit }, (_, n) => [
      `ses_${crypto.randomUUID()}`,
      deviceId(((pairs + n) * 7919) % phones),
    ]);
    connect(ids);
    disconnect(ids);
    pairs += pairsPerCommit;
  }
  return pairs / ((performance.now() - start) / 1000);
}
