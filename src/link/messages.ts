/**
 * The text messages of a link: JSON, one object each. Binary messages are not declared here: on a stream link they
 * are packets in layout v4 (contract/sockets/stream-packets.ts), on a control link scrcpy's control messages
 * (contract/sockets/scrcpy-control.ts), both unchanged.
 * Stream link: the agent sends packets, starting with the newest session packet, the config packet and its cached
 * group of pictures; the gateway sends `keyframe`.
 * App link: the control plane sends the app's files; the agent sends `taken` for what it has written to disk.
 * Screenshot link: the agent sends one binary message, a PNG.
 * File link and artifact link: see file-channel.ts.
 * adb link: both ends send bytes of the connection between an adb server and its daemon, split anywhere (AOSP
 * adb/protocol.txt).
 * Control link: the agent first sends `ready`; then calls and responses are sent in any order.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { MAX_LISTED_FILES, PHONE_FILE_FAILURES, PHONE_FILE_KINDS } from '../contract/http/phone-file.ts';
import { type ControlParams, PHONE_METHODS, type PhoneMethod } from '../contract/sockets/control-methods.ts';
import { CONTROLLER, type ControlNotifications } from '../contract/sockets/control-notifications.ts';
import { oneLine } from '../util/one-line.ts';
import type { LinkMessage } from './link.ts';

const pixels = Type.Integer({ minimum: 1, maximum: 0xffff });
const callId = Type.Integer({ minimum: 1 });

/** Gateway to agent, on a stream link: a viewer needs a keyframe to continue. May be sent at any rate. */
const StreamRequest = Type.Object({ type: Type.Literal('keyframe') });
export type StreamRequest = Static<typeof StreamRequest>;

/** Agent to control plane, on an app link: number of further chunks that are on its disk. */
const AppReply = Type.Object({ type: Type.Literal('taken'), taken: callId });
export type AppReply = Static<typeof AppReply>;

const size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const fileFacts = {
  size,
  /** Milliseconds since 1970; null: unknown. */
  modifiedAt: Type.Union([Type.Number(), Type.Null()]),
};

/** Why an operation on a file failed. */
const FILE_FAILURES = [...PHONE_FILE_FAILURES, 'failed'] as const;

/**
 * On a file link. The agent begins with the result of the operation: `listing`, `removed`, `file` before the bytes
 * that it reads, or `ready` for the bytes that it will write. The sender of bytes ends them with `end`, and the
 * receiver reports with `taken` how many further chunks it has passed on. `written` is the result of a write.
 */
const FileMessage = Type.Union([
  Type.Object({
    type: Type.Literal('listing'),
    items: Type.Array(
      Type.Object({ name: Type.String(), kind: Type.Enum([...PHONE_FILE_KINDS]), ...fileFacts }),
      { maxItems: MAX_LISTED_FILES },
    ),
    hasMore: Type.Boolean(),
  }),
  Type.Object({ type: Type.Literal('removed') }),
  Type.Object({ type: Type.Literal('file'), ...fileFacts }),
  Type.Object({ type: Type.Literal('ready') }),
  Type.Object({ type: Type.Literal('taken'), taken: callId }),
  Type.Object({ type: Type.Literal('end') }),
  Type.Object({ type: Type.Literal('written'), ...fileFacts }),
  Type.Object({
    type: Type.Literal('failed'),
    reason: Type.Enum([...FILE_FAILURES]),
    message: Type.String(),
  }),
]);
export type FileMessage = Static<typeof FileMessage>;

/**
 * Gateway to agent, on a control link. The parameters have been validated, and defaults have been filled in.
 */
const ControlCall = Type.Object({
  type: Type.Literal('call'),
  id: callId,
  method: Type.Enum(PHONE_METHODS),
  params: Type.Unknown(),
});
export type ControlCall = {
  [M in PhoneMethod]: { type: 'call'; id: number; method: M; params: ControlParams<M> };
}[PhoneMethod];

const notification = <M extends keyof ControlNotifications>(method: M) =>
  Type.Object({
    type: Type.Literal('notification'),
    method: Type.Literal(method),
    params: Type.Unsafe<ControlNotifications[M]>(Type.Object({})),
  });

/** Agent to gateway, on a control link. */
const ControlReply = Type.Union([
  /** First message: the phone can be controlled. The size is that of the video at this moment, in pixels. */
  Type.Object({
    type: Type.Literal('ready'),
    width: pixels,
    height: pixels,
    capabilities: Type.Array(Type.Enum(PHONE_METHODS)),
  }),
  Type.Object({ type: Type.Literal('result'), id: callId, result: Type.Unknown() }),
  /** `unsupported`: the phone does not support this; `failed`: the attempt failed with this message. */
  Type.Object({
    type: Type.Literal('error'),
    id: callId,
    kind: Type.Enum(['unsupported', 'failed', 'invalid']),
    message: Type.String(),
  }),
  /** A newer control link of the same session took over; the agent then closes this link. `by`: the key of its client. */
  Type.Object({ type: Type.Literal('taken-over'), by: Type.Optional(Type.Object(CONTROLLER)) }),
  notification('device.rotated'),
  notification('clipboard.changed'),
  notification('app.progress'),
  notification('log.line'),
]);
export type ControlReply = Static<typeof ControlReply>;

/** The only error of this file: the other end sent a malformed message. The link cannot be used any longer. */
export class LinkProtocolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LinkProtocolError';
  }
}

export function encodeLinkMessage(
  message: StreamRequest | AppReply | FileMessage | ControlCall | ControlReply,
): string {
  return JSON.stringify(message);
}

/** @throws LinkProtocolError */
export const parseStreamRequest = parserOf<StreamRequest>('stream request', StreamRequest);
/** @throws LinkProtocolError */
export const parseAppReply = parserOf<AppReply>('app reply', AppReply);
/** @throws LinkProtocolError */
export const parseFileMessage = parserOf<FileMessage>('file message', FileMessage);
/**
 * Validates the envelope of the call, not its parameters, which the gateway has validated. @throws LinkProtocolError
 */
export const parseControlCall = parserOf<ControlCall>('control call', ControlCall);
/** Sanitises texts that are shown to people. @throws LinkProtocolError */
export function parseControlReply(message: LinkMessage): ControlReply {
  const reply = readControlReply(message);
  if (reply.type === 'error') return { ...reply, message: oneLine(reply.message, MAX_TEXT) };
  if (reply.type === 'notification' && PRINTED_NOTIFICATIONS.has(reply.method)) {
    const params = Object.entries(reply.params).map(([name, value]) => [
      name,
      typeof value === 'string' ? oneLine(value, MAX_TEXT) : value,
    ]);
    return { ...reply, params: Object.fromEntries(params) };
  }
  return reply;
}
const readControlReply = parserOf<ControlReply>('control reply', ControlReply);

/** Notifications whose texts are printed. Log lines of a phone may contain anything that an app writes. */
const PRINTED_NOTIFICATIONS: ReadonlySet<string> = new Set(['app.progress', 'log.line']);
const MAX_TEXT = 64 * 1024;

function parserOf<T>(what: string, schema: TSchema): (message: LinkMessage) => T {
  const validator = Compile(schema);
  return (message) => {
    if (typeof message !== 'string') throw new LinkProtocolError(`a ${what} must be a text message`);
    let value: unknown;
    try {
      value = JSON.parse(message);
    } catch {
      throw new LinkProtocolError(`the ${what} is not valid JSON`);
    }
    if (!validator.Check(value)) throw new LinkProtocolError(`the ${what} does not have the declared format`);
    return value as T;
  };
}
