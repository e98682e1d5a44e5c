import { type Static, type TProperties, type TSchema, type TString, Type } from 'typebox';
import { ARTIFACT_KINDS, ARTIFACT_NAME } from '../contract/http/artifact.ts';
import { DeviceDescription } from '../contract/http/device.ts';
import { APP_STATUSES, END_REASONS, MAX_COMMANDS, SESSION_STATUSES } from '../contract/http/session.ts';
import { PHONE_METHODS } from '../contract/sockets/control-methods.ts';

// A bus between machines validates all incoming messages against these schemas, because any machine may be a host.
// Unknown properties are accepted, so that newer senders can add some.

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const id = Type.String({ minLength: 1, maxLength: 128 });
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Generous, because a report with a single longer text is rejected as a whole. */
const words = Type.String({ maxLength: 65_536 });

/**
 * The contract's description does not bound texts, because the service sends it. This schema is for descriptions from
 * hosts.
 */
const {
  platform: _platform,
  kind: _kind,
  battery_percent: _battery,
  ...texts
} = DeviceDescription.properties;
const description = Type.Object({
  ...(Object.fromEntries(
    Object.entries(texts).map(([name, schema]) => [name, shortened(schema)]),
  ) as typeof texts),
  /** Absent in reports of earlier versions. A later version may report values that this version does not know. */
  platform: Type.Optional(Type.String({ maxLength: 20 })),
  kind: Type.Optional(Type.String({ maxLength: 20 })),
  battery_percent: Type.Optional(DeviceDescription.properties.battery_percent),
});

/**
 * Numbers with a pattern are never this long; other texts are truncated where they are received
 * (control-plane/hosts/sanitise.ts).
 */
function shortened<T extends TString>(schema: T): T {
  return { ...schema, maxLength: 'pattern' in schema ? 20 : 1024 };
}

/**
 * State of the app installation of a lease: the number of the request, its status, and the error if it failed.
 */
const AppReport = Type.Object({
  request: count,
  status: Type.Enum([...APP_STATUSES]),
  error: nullable(words),
});
export type AppReport = Static<typeof AppReport>;

/** The state of one device, as its host reports it. */
const PhoneStatus = Type.Object({
  description,
  /** The control methods that the device supports. Absent in reports of earlier versions. */
  capabilities: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 100 })),
  usable: Type.Boolean(),
  problem: nullable(words),
  cleanEpoch: nullable(count),
  lease: nullable(
    Type.Object({ sessionId: id, epoch: count, connected: Type.Boolean(), app: nullable(AppReport) }),
  ),
});
export type PhoneStatus = Static<typeof PhoneStatus>;

/**
 * The app that a session requested last. The number increases with each request, so that the same app can be
 * requested again.
 */
const AppRequest = Type.Object({ appId: id, request: count });
export type AppRequest = Static<typeof AppRequest>;

/** A lease that a host has to serve. */
const LeaseOrder = Type.Object({
  sessionId: id,
  epoch: count,
  remainingMs: Type.Number(),
  app: nullable(AppRequest),
  /** Absent or null: the session is not recorded. */
  recording: Type.Optional(
    nullable(
      Type.Object({
        /** Whether the recorded commands contain the text that is typed. */
        text: Type.Boolean(),
        /** How much more the account can store at this time, bytes; null: unlimited. */
        maxBytes: nullable(count),
      }),
    ),
  ),
});
export type LeaseOrder = Static<typeof LeaseOrder>;

/** The desired state of a device: serve this lease, or be clean up to the epoch. */
const PhoneOrder = Type.Object({
  deviceId: id,
  epoch: count,
  /**
   * The epoch up to which the store holds the device to be clean; -1: never clean so far; null: the sender did not
   * read it.
   */
  cleanEpoch: nullable(Type.Integer({ minimum: -1 })),
  lease: nullable(LeaseOrder),
});
export type PhoneOrder = Static<typeof PhoneOrder>;

/** Maximum number of refusal reasons in the response to one report. */
export const MAX_REFUSALS = 10;

/** Maximum size of a response of Appium. A screenshot of a large screen has a few megabytes. */
export const MAX_APPIUM_RESPONSE_BYTES = 16 * 1024 * 1024;

/** What the control plane keeps with a lease for a WebDriver session. The host does not interpret `state`. */
const automation = Type.Object({
  state: Type.String({ maxLength: 4096 }),
  idleMs: count,
  endsSession: Type.Boolean(),
});

/** A command of the WebDriver client of a lease. Without `ms` it is running. */
const command = Type.Object({
  id,
  name: Type.String({ maxLength: 120 }),
  startedAt: Type.String({ maxLength: 40 }),
  ms: Type.Optional(count),
  error: Type.Optional(Type.String({ maxLength: 100 })),
});
export type AutomationCommand = Static<typeof command>;

/** An artifact that a host has recorded. */
const RecordedArtifact = Type.Object({
  name: Type.String({ pattern: ARTIFACT_NAME, maxLength: 40 }),
  kind: Type.Enum([...ARTIFACT_KINDS]),
  size: count,
  /** From the start of the recording, and its length, in milliseconds. */
  offsetMs: count,
  durationMs: nullable(count),
  width: nullable(count),
  height: nullable(count),
});
export type RecordedArtifact = Static<typeof RecordedArtifact>;

/** What to do with a file or folder in the shared storage of a phone. */
const FileTask = Type.Object({
  operation: Type.Enum(['list', 'read', 'write', 'remove']),
  path: Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1024 }),
  /** Of `write`: whether to replace a file that exists, and the size of the file, or slightly more, if it is known. */
  overwrite: Type.Optional(Type.Boolean()),
  size: Type.Optional(count),
});
export type FileTask = Static<typeof FileTask>;

const nothing = {};
const exchange = <Q extends TProperties, A extends TProperties>(request: Q, response: A) => ({
  request: Type.Object(request),
  response: Type.Object(response),
});

/**
 * Name of an app's icon among its files. The others are `<number>.apk` or `<number>.<split>.apk`, the base first, and
 * expansion files (`.obb`).
 */
export const ICON_FILE = 'icon';

/** Maximum number of entries in one message of `requests.used` and of `sockets.open`. */
export const MAX_SHARED_USES = 1_000;
export const MAX_SHARED_COUNTS = 1_000;

/** Topics that processes of the control plane are permitted to subscribe to, and hosts are not. */
export const TOPICS = {
  /** A session was created, connected, extended or ended. Receivers read its row. */
  'session.changed': Type.Object({
    sessionId: id,
    hostId: id,
    status: Type.Enum([...SESSION_STATUSES]),
    endReason: nullable(Type.Enum([...END_REASONS])),
  }),
  /** The number of open sockets of each account at the gateways of one process. */
  'sockets.open': Type.Object({
    from: id,
    open: Type.Array(Type.Object({ accountId: id, count }), { maxItems: MAX_SHARED_COUNTS }),
  }),
  /** The number of requests, by key and address, that one API process has admitted since its last message. */
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
 * Requests, each to one server of the name at an address. A request from a host has the host's own identifier as the
 * address and is served at ANY_ADDRESS. The broker permits the host no other address, so that the message need not
 * contain it.
 */
export const REQUESTS = {
  /**
   * Host to control plane (address: the host's own id): its heartbeat, every 2 s and after every change. An
   * incomplete report names some of the devices, and the response contains only the orders for those. `reportAll`:
   * the host had been marked as lost, and devices that it did not name are offline until it reports them.
   */
  'control-plane.report': exchange(
    { hostName: Type.String({ maxLength: 256 }), complete: Type.Boolean(), phones: Type.Array(PhoneStatus) },
    {
      orders: Type.Array(PhoneOrder),
      reportAll: Type.Optional(Type.Boolean()),
      /** Why some of the reported devices were rejected; readable messages for the host's operator. */
      refused: Type.Optional(Type.Array(words, { maxItems: MAX_REFUSALS })),
    },
  ),
  /**
   * Host to control plane (address: the host's own id): a session ended on the host, or is about to expire there.
   * `lease`: the session continues, because it was extended and the host had not been notified.
   */
  'control-plane.ended': exchange(
    { sessionId: id, epoch: count, reason: Type.Enum([...END_REASONS]), detail: nullable(words) },
    { lease: Type.Optional(LeaseOrder) },
  ),
  /**
   * Host to control plane (address: the host's own id): requests an app for this lease, and where to get its files.
   */
  'control-plane.app': exchange(
    { sessionId: id, epoch: count, appId: id },
    {
      packageName: words,
      name: words,
      version: words,
      minSdk: nullable(count),
      iconType: nullable(Type.Enum(['image/png', 'image/webp'])),
      /** In the order in which the link transfers them. */
      files: Type.Array(Type.Object({ name: Type.String({ pattern: '^[\\w.-]{1,200}$' }), bytes: count }), {
        maxItems: 1000,
      }),
      ingest: words,
      ticket: words,
    },
  ),
  /**
   * Host to control plane (address: the host's own id): requests to upload an artifact of this lease. The response
   * contains the address and the ticket for a link with the purpose `artifact`, or says that the artifact is already
   * stored, or why it is rejected. A rejection is final. `storedBytes`: size of the artifact that is stored, which may be
   * only the start of this one. `room`: the artifact is rejected because it is too large for the storage of the account,
   * and one with at most this many bytes would be accepted now.
   */
  'control-plane.artifact': exchange(
    { sessionId: id, epoch: count, artifact: RecordedArtifact },
    {
      ingest: Type.Optional(words),
      ticket: Type.Optional(words),
      isStored: Type.Optional(Type.Boolean()),
      storedBytes: Type.Optional(count),
      refused: Type.Optional(words),
      room: Type.Optional(count),
    },
  ),
  /**
   * Host to control plane (address: the host's own id): the recording of this lease is complete, because all of its
   * artifacts are stored or refused. `detail`: why it failed or is incomplete.
   */
  'control-plane.recorded': exchange({ sessionId: id, epoch: count, detail: nullable(words) }, nothing),
  /** Control plane to one host (address: host id): apply these orders now rather than at the next heartbeat. */
  'host.orders': exchange({ orders: Type.Array(PhoneOrder) }, nothing),
  /**
   * Control plane to one host: dial the ingest address and carry data of this session: screen, controls, one
   * screenshot, a file or adb. `refused`: why the host does not; a readable message for the client. Either the device cannot,
   * or its operator does not permit it.
   */
  'host.dial': exchange(
    {
      sessionId: id,
      epoch: count,
      purpose: Type.Enum(['stream', 'control', 'screenshot', 'file', 'adb']),
      /** The address that accepts the link, and the ticket that proves that this host was asked. */
      ingest: words,
      ticket: words,
      /** The key of the client that wants to control the phone, for the client that has controlled it until now. */
      by: Type.Optional(Type.Object({ id, name: words })),
      /** What a link with the purpose `file` is for. The path consists of names below the shared storage. */
      file: Type.Optional(FileTask),
    },
    { refused: Type.Optional(words) },
  ),
  /**
   * Control plane to one host: perform a control method for the WebDriver session on this lease, beside the client that
   * has control. Without `method`, the request only reads or changes the automation and counts as a sign of life.
   * `automation` starts or replaces it; null ends it. A request that does not start it fails if there is none.
   * The parameters have been validated, and defaults have been filled in.
   */
  'host.call': exchange(
    {
      sessionId: id,
      epoch: count,
      method: Type.Optional(Type.Enum(PHONE_METHODS)),
      params: Type.Optional(Type.Unknown()),
      automation: Type.Optional(nullable(automation)),
      /** Perform the method even if there is no automation. Earlier versions do not. */
      isDirect: Type.Optional(Type.Boolean()),
      /** Keep the command in the history of the lease, or complete it. */
      command: Type.Optional(command),
      /** Return the history of the lease. The request does not count as a sign of life. */
      history: Type.Optional(Type.Boolean()),
      /** Lift every finger that is down. */
      release: Type.Optional(Type.Boolean()),
      /**
       * Send a request to the Appium server of the session, which `POST /session` starts, with the capabilities as its
       * body, deflated and base64-encoded. The response is read from `offset`, with as many requests of the same `id` as
       * it takes.
       */
      appium: Type.Optional(
        Type.Object({
          id,
          method: Type.Optional(Type.Enum(['GET', 'POST', 'DELETE'])),
          path: Type.Optional(Type.String({ maxLength: 4096 })),
          body: Type.Optional(Type.String({ maxLength: 1_000_000 })),
          offset: Type.Optional(count),
        }),
      ),
      /** Return the lines of the log since the last request with it, in the form of `log.line`. The first starts the log. */
      log: Type.Optional(Type.Boolean()),
    },
    {
      /** null: the lease has no automation. Unless the request is direct, nothing was performed. */
      automation: nullable(automation),
      /** Size of the screen in pixels as it is streamed now, and the methods that the phone supports. */
      width: count,
      height: count,
      capabilities: Type.Array(Type.String({ maxLength: 40 }), { maxItems: 100 }),
      /** Newest first. */
      history: Type.Optional(Type.Array(command, { maxItems: MAX_COMMANDS })),
      /** The result as JSON, compressed with deflate and base64-encoded if it is long. */
      result: Type.Optional(words),
      packed: Type.Optional(Type.String({ maxLength: 8_000_000 })),
      /** The response of Appium: its status, size, and the part that begins at `offset`, base64-encoded. */
      appium: Type.Optional(
        Type.Object({
          isRunning: Type.Boolean(),
          status: Type.Optional(count),
          bytes: Type.Optional(count),
          part: Type.Optional(Type.String({ maxLength: 1_000_000 })),
        }),
      ),
      error: Type.Optional(Type.Object({ kind: Type.Enum(['unsupported', 'failed']), message: words })),
    },
  ),
};
/** Beginning of the error with which a host answers a request for a session that it does not serve. */
export const NOT_SERVED = 'no phone of this host serves session';

/**
 * Whether requests of the name go to a single process, a host. Every connection that serves the name at that address
 * then gets the request, and the first response counts. Other names are shared by the processes of the control plane,
 * of which one gets the request.
 */
export const hasOneResponder = (name: keyof BusRequests): boolean => name.startsWith('host.');

export type BusRequests = {
  [R in keyof typeof REQUESTS]: {
    request: Static<(typeof REQUESTS)[R]['request']>;
    response: Static<(typeof REQUESTS)[R]['response']>;
  };
};
