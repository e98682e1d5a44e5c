/**
 * Position of a reader in the event log. For a database with a single writer it is the last id that was read.
 * Otherwise it resembles a PostgreSQL snapshot: all events of transactions below `tx` have been read, except of those
 * in `running`, which had not ended when the snapshot was taken; of `tx` itself, the events up to `id` have been
 * read. No event that commits late is therefore missed, and the reader never waits for a long transaction.
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

/** null: the text is not a valid cursor. */
export function parseCursor(text: string): EventCursor | null {
  const [, tx, id, running] = (text.length <= MAX_TEXT && TEXT.exec(text)) || [];
  if (tx === undefined || id === undefined || running === undefined) return null;
  return { tx: Number(tx), id: Number(id), running: running.split('.').slice(1).map(Number) };
}

/**
 * The cursor of a reader that has read everything that a snapshot shows. With `last`, the last event of a page that
 * more events follow, the cursor of a reader that has read up to that event: the snapshot is cut off at its
 * transaction.
 * @param snapshot in PostgreSQL's text format: `xmin:xmax:xip,xip,…`
 */
export function cursorAt(snapshot: string, last: { tx: number; id: number } | null): EventCursor {
  const [, xmax = '0', xip = ''] = snapshot.split(':');
  const running = xip === '' ? [] : xip.split(',').map(Number);
  if (!last) return { tx: Number(xmax), id: 0, running };
  return { tx: last.tx, id: last.id, running: running.filter((tx) => tx < last.tx) };
}

/** The lowest transaction that may have unread events. */
export const lowestUnread = ({ tx, running }: EventCursor): number => Math.min(tx, ...running);
