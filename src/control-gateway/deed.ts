import type { SessionRow } from '../store/store.ts';

/** What a client did with the shell of its phone, for the audit trail. */
export interface Deed {
  session: SessionRow;
  action: 'adb.open' | 'control.shell';
  /** Where the client is. */
  address: string;
  /** 0: it was done; otherwise the error's code. */
  code: number;
}

/** Enters it into the trail; resolves when the client may be answered, and never rejects. */
export type NoteDeed = (deed: Deed) => Promise<void>;
