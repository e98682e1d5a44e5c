import { type Static, type TProperties, type TSchema, type TString, Type } from 'typebox';
import { DeviceDescription } from '../contract/device.ts';
import { APP_STATUSES, END_REASONS, SESSION_STATUSES } from '../contract/session.ts';

// A bus between machines checks all that arrives against these: a host may be anyone's machine. What is not named
// here passes, so that a newer sender can say more.

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const id = Type.String({ minLength: 1, maxLength: 128 });
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Generous, since a report with one text over the bound is refused as a whole. */
const words = Type.String({ maxLength: 65_536 });

/** The contract's description bounds no text, since it is what we say; this is what a host says. */
const description = Type.Object(
  Object.fromEntries(
    Object.entries(DeviceDescription.properties).map(([name, schema]) => [name, shortened(schema)]),
  ) as typeof DeviceDescription.properties,
);

/** Numbers with a pattern are never this long; other texts are cut to size where they come in (api/hosts/sanitise.ts). */
function shortened<T extends TString>(schema: T): T {
  return { ...schema, maxLength: 'pattern' in schema ? 20 : 1024 };
}

/** What has become of the app that a lease is to have: of which request, how far, and why it failed. */
const AppReport = Type.Object({
  request: count,
  status: Type.Enum([...APP_STATUSES]),
  error: nullable(words),
});
export type AppReport = Static<typeof AppReport>;

/** What a host says of one phone. */
const PhoneStatus = Type.Object({
  description,
  usable: Type.Boolean(),
  problem: nullable(words),
  cleanEpoch: nullable(count),
  lease: nullable(
    Type.Object({ sessionId: id, epoch: count, connected: Type.Boolean(), app: nullable(AppReport) }),
  ),
});
export type PhoneStatus = Static<typeof PhoneStatus>;

/** The app last asked for in a session. The number grows with each request, so that one may be asked for again. */
const AppRequest = Type.Object({ appId: id, request: count });
export type AppRequest = Static<typeof AppRequest>;

/** What a host is to serve. */
const LeaseOrder = Type.Object({
  sessionId: id,
  epoch: count,
  remainingMs: Type.Number(),
  app: nullable(AppRequest),
});
export type LeaseOrder = Static<typeof LeaseOrder>;

/** What a host should be doing with one phone: serve this lease, or be clean up to the epoch. */
const PhoneOrder = Type.Object({
  deviceId: id,
  epoch: count,
  /** Up to where the rows hold the phone to be clean, -1: nowhere yet; null: the sender did not look. */
  cleanEpoch: nullable(Type.Integer({ minimum: -1 })),
  lease: nullable(LeaseOrder),
});
export type PhoneOrder = Static<typeof PhoneOrder>;

/** Reasons for which phones of one report are refused. */
const MAX_REFUSALS = 10;

const nothing = {};
const exchange = <Q extends TProperties, A extends TProperties>(request: Q, response: A) => ({
  request: Type.Object(request),
  response: Type.Object(response),
});

/** Subjects that one message tells of. */
export const MAX_SHARED_USES = 1_000;
export const MAX_SHARED_COUNTS = 1_000;

/** Topics that every process of the control plane may listen to, and hosts may not. */
export const TOPICS = {
  /** A session was created, connected, extended or ended: look at its row. */
  'session.changed': Type.Object({
    sessionId: id,
    hostId: id,
    status: Type.Enum([...SESSION_STATUSES]),
    endReason: nullable(Type.Enum([...END_REASONS])),
  }),
  /** How many sockets each account has open at the gateways of one process. */
  'sockets.open': Type.Object({
    from: id,
    open: Type.Array(Type.Object({ accountId: id, count }), { maxItems: MAX_SHARED_COUNTS }),
  }),
  /** What one process of the API let through, of keys and addresses, since it last said so. */
  'requests.used': Type.Object({
    from: id,
    uses: Type.Array(
      Type.Object({
        limit: Type.Enum(['key', 'connect', 'address', 'failed']),
        subject: id,
        count,
      }),
      { maxItems: MAX_SHARED_USES },
    ),
  }),
};
export type BusMessages = { [T in keyof typeof TOPICS]: Static<(typeof TOPICS)[T]> };

/**
 * Questions and commands, each to one who serves that name at that address. What a host says is addressed with the
 * host's own id and served at ANY_ADDRESS: the broker lets a host use no other, so its messages need not name it.
 */
export const REQUESTS = {
  /**
   * Host to control plane (address: the host's own id): its heartbeat, every 2 s and on every change. One that is not
   * complete names some of its phones, and is answered with the orders of those. `reportAll`: the host had been given
   * up, and what it did not name is offline until it does.
   */
  'control-plane.report': exchange(
    { hostName: Type.String({ maxLength: 256 }), complete: Type.Boolean(), phones: Type.Array(PhoneStatus) },
    {
      orders: Type.Array(PhoneOrder),
      reportAll: Type.Optional(Type.Boolean()),
      /** Why some of the phones that were named are not taken, in words for the host's operator. */
      refused: Type.Optional(Type.Array(words, { maxItems: MAX_REFUSALS })),
    },
  ),
  /**
   * Host to control plane (address: the host's own id): a session ended on the host's side, or is about to expire there.
   * `lease`: the session goes on, since it was extended and the host had not heard of that.
   */
  'control-plane.ended': exchange(
    { sessionId: id, epoch: count, reason: Type.Enum([...END_REASONS]), detail: nullable(words) },
    { lease: Type.Optional(LeaseOrder) },
  ),
  /** Host to control plane (address: the host's own id): an app for this lease, and where its files are to be had. */
  'control-plane.app': exchange(
    { sessionId: id, epoch: count, appId: id },
    {
      packageName: words,
      name: words,
      version: words,
      minSdk: nullable(count),
      iconType: nullable(Type.Enum(['image/png', 'image/webp'])),
      /** In the order in which they come over the link. */
      files: Type.Array(Type.Object({ name: Type.String({ pattern: '^[\\w.-]{1,200}$' }), bytes: count }), {
        maxItems: 1000,
      }),
      ingest: words,
      ticket: words,
    },
  ),
  /** Control plane to one host (address: host id): do this now rather than at the next heartbeat. */
  'host.orders': exchange({ orders: Type.Array(PhoneOrder) }, nothing),
  /**
   * Control plane to one host: dial here and carry bytes of this session: its screen, its controls, one picture or adb.
   * `refused`: why it does not, in words for the client: the phone cannot, or its operator does not let it.
   */
  'host.dial': exchange(
    {
      sessionId: id,
      epoch: count,
      purpose: Type.Enum(['stream', 'control', 'screenshot', 'adb']),
      /** Where links are taken in, and what proves that it was this host that was asked. */
      ingest: words,
      ticket: words,
    },
    { refused: Type.Optional(words) },
  ),
};
/**
 * Whether a name is addressed to one process, a host: then every connection that serves it at that address gets the request,
 * and the first answer counts. Other names are shared by the processes of the control plane: one of them gets it.
 */
export const hasOneResponder = (name: keyof BusRequests): boolean => name.startsWith('host.');

export type BusRequests = {
  [R in keyof typeof REQUESTS]: {
    request: Static<(typeof REQUESTS)[R]['request']>;
    response: Static<(typeof REQUESTS)[R]['response']>;
  };
};
