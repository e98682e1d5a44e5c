import type { Bus } from '../bus/bus.ts';
import type { OperationId, OperationTypes } from '../contract/operations.ts';
import type { TicketDesk } from '../link/ticket-desk.ts';
import type { Principal, SessionRow, Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { AppFiles } from './apps/app-files.ts';

/** An answer that is not JSON. */
export class Picture {
  readonly type: string;
  readonly bytes: Uint8Array;
  constructor(type: 'image/png' | 'image/webp', bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** What every operation works with. */
export interface ApiContext {
  store: Store;
  bus: Bus;
  /** Takes in the links of hosts that bring a picture or fetch an app. */
  tickets: TicketDesk;
  log: Log;
  /** Public origins of the two socket hosts. */
  origins: { stream: string; control: string };
  /** Signs the tokens in socket addresses. */
  tokenKey: Uint8Array;
  maxDurationMinutes: number;
  /** Only hosts that an operator added are heard. */
  hostsMustBeKnown: boolean;
  /** The files of uploaded apps. */
  appFiles: AppFiles;
  maxAppBytes: number;
}

/** Who asks, beside what they ask. */
interface Caller {
  principal: Principal;
  /** The `Idempotency-Key` header, where the operation takes one. */
  idempotencyKey: string | null;
  /** Where the operation takes a file. */
  file: UploadedFile;
}

/** A body that is a file. Reading it throws an ApiError when it is not what it should be. */
export interface UploadedFile {
  bytes: AsyncIterable<Uint8Array>;
  /** What the client says that the whole body has, a form around the file with it; null: it does not. */
  announcedBytes: number | null;
}

/** The client sees the bytes of a picture; its type is a header. */
type Answer<Id extends OperationId> = OperationTypes[Id]['answer'] extends Uint8Array
  ? Picture
  : OperationTypes[Id]['answer'];

type Input<Id extends OperationId> = Pick<OperationTypes[Id], 'params' | 'query' | 'body'>;

/** One operation's handler. Its input has been checked against the operation's schemas. */
export interface Implementation {
  id: OperationId;
  handle(
    context: ApiContext,
    call: { params: unknown; query: unknown; body: unknown } & Caller,
  ): Promise<unknown>;
}

/** A handler authorises by its operation's `access`, calls one rule or query, and shapes the answer. */
export function implement<Id extends OperationId>(
  id: Id,
  handle: (context: ApiContext, call: Input<Id> & Caller) => Promise<Answer<Id>>,
): Implementation {
  return { id, handle: handle as unknown as Implementation['handle'] };
}

/** Tells whoever listens that a session's row changed; they read the row. */
export function announce(bus: Bus, session: SessionRow): void {
  bus.publish('session.changed', {
    sessionId: session.id,
    hostId: session.hostId,
    status: session.status,
    endReason: session.endReason,
  });
}
