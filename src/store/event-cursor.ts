/**
 * How far a reader has come in the log of events. Where transactions write one at a time that is the last id. Elsewhere
 * it is like a snapshot of PostgreSQL: all events of transactions below `tx` are read, except of those in `running`,
 * which had not ended when it was taken; and of `tx` itself those up to `id`. So nothing is missed that is committed
 * late, and nothing waits for a transaction that takes long.
 * https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
 */
export interface EventCursor {
  tx: number;
  id: number;
  running: number[];
}

const MAX_TEXT = 2_000;
const TEXT = /^(\d{1,16})-(\d{1,16})((?:\.\d{1,16})*)$/;

export function cursorText({ tx, id, running }: EventCursor): string {
  return `${tx}-${id}${running.map((one) => `.${one}`).join('')}`;
}

/** null: the text is none. */
export function parseCursor(text: string): EventCursor | null {
  const [, tx, id, running] = (text.length <= MAX_TEXT && TEXT.exec(text)) || [];
  if (tx === undefined || id === undefined || running === undefined) return null;
  return { tx: Number(tx), id: Number(id), running: running.split('.').slice(1).map(Number) };
}

/**
 * The cursor of one who has read all that a snapshot shows; or, given the last event of a page with more behind it,
 * all up to there: the snapshot is cut off at the transaction of that event.
 * @param snapshot as PostgreSQL writes it: `xmin:xmax:xip,xip,…`
 */
export function cursorAt(snapshot: string, last: { tx: number; id: number } | null): EventCursor {
  const [, xmax = '0', xip = ''] = snapshot.split(':');
  const running = xip === '' ? [] : xip.split(',').map(Number);
  if (!last) return { tx: Number(xmax), id: 0, running };
  return { tx: last.tx, id: last.id, running: running.filter((tx) => tx < last.tx) };
}

/** The lowest transaction of which there may be events that were not read. */
export const lowestUnread = ({ tx, running }: EventCursor): number => Math.min(tx, ...running);
