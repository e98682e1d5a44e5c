import { type TSchema, Type } from 'typebox';
import {
  CONTROL_METHODS,
  CONTROL_NOTIFICATIONS,
  type ControlMethod,
  type ControlNotifications,
} from '../contract/sockets/control-methods.ts';
import { RPC_ERRORS } from '../contract/sockets/rpc-errors.ts';
import { METHOD_SUMMARIES, NOTIFICATION_SUMMARIES } from '../contract/sockets/socket-texts.ts';
import { RESET_VIDEO } from '../contract/sockets/stream-packets.ts';

const methods = Object.keys(CONTROL_METHODS) as ControlMethod[];
const notifications = Object.keys(CONTROL_NOTIFICATIONS) as (keyof ControlNotifications)[];

const RpcId = Type.Union([Type.String(), Type.Number()], { description: 'The answer has the same' });
const rpc = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object({ jsonrpc: Type.Literal('2.0'), ...properties });

const binary = (title: string, description: string, bytes: object = {}) => ({
  title,
  description,
  contentType: 'application/octet-stream',
  payload: { type: 'string', format: 'binary', ...bytes },
});

/** The packets of the stream socket in the layout `scrcpy.v4`, by name. */
export const STREAM_MESSAGES: Record<string, object> = {
  'stream.codec': binary(
    'Codec',
    'First of all: 4 bytes, 0x68323634 (`h264`). In the layout `scrcpy.v3` 12 bytes: the codec, width and height.',
  ),
  'stream.session': binary(
    'Session packet',
    '12 bytes, big-endian: 0x80000000, width and height of the picture in pixels (u32 each). Sent first, and again ' +
      'whenever the size changes. `scrcpy.v3` has none.',
  ),
  'stream.media': binary(
    'Media packet',
    '12 bytes and an H.264 access unit in Annex B. Big-endian: u64 with bit 62 (config: parameter sets, no picture), bit 61 ' +
      '(keyframe) and 61 bits of presentation time in µs; u32 length of what follows. In `scrcpy.v3` the bits are 63 and 62.',
  ),
};

/** The messages that a viewer may send. */
export const VIEWER_MESSAGES: Record<string, object> = {
  'stream.keyframe-request': binary(
    'Request for a keyframe',
    `One byte, ${RESET_VIDEO[0]} (scrcpy’s reset-video). Heard once a second.`,
  ),
};

/**
 * The messages of the control socket, by name: calls and their results, notifications, errors and binary messages.
 */
export const CONTROL_MESSAGES: Record<string, object> = {
  ...Object.fromEntries(methods.flatMap(callAndResult)),
  ...Object.fromEntries(notifications.map(notification)),
  error: {
    title: 'Error',
    summary: 'Why a call was not done',
    payload: rpc({
      id: Type.Union([RpcId, Type.Null()], { description: 'null: it is not known which call is meant' }),
      error: Type.Object({
        code: Type.Enum(Object.values(RPC_ERRORS)),
        message: Type.String(),
        data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    }),
  },
  inject: binary(
    'scrcpy control message',
    'One control message of scrcpy 3.3.3, passed on unchanged after its type and length were checked. Nothing is ' +
      'answered but an error, with `id` null.',
  ),
};

export const ADB_MESSAGES: Record<string, object> = {
  'adb.bytes': binary(
    'Bytes of adb',
    'A piece of the connection, at most 4 MiB from the client; it may be cut anywhere.',
  ),
};

function callAndResult(method: ControlMethod): [string, object][] {
  const { params, result } = CONTROL_METHODS[method];
  const correlationId = { location: '$message.payload#/id' };
  const call = {
    name: method,
    title: method,
    summary: METHOD_SUMMARIES[method],
    correlationId,
    payload: rpc({ id: Type.Optional(RpcId), method: Type.Literal(method), params }),
  };
  const answer = {
    name: `${method}.result`,
    title: `Result of ${method}`,
    correlationId,
    payload: rpc({ id: RpcId, result }),
  };
  return [
    [method, call],
    [answer.name, answer],
  ];
}

function notification(method: keyof ControlNotifications): [string, object] {
  return [
    method,
    {
      name: method,
      title: method,
      summary: NOTIFICATION_SUMMARIES[method],
      payload: rpc({ method: Type.Literal(method), params: CONTROL_NOTIFICATIONS[method] }),
    },
  ];
}

const on = (channel: string) => ({ $ref: `#/channels/${channel}` });
const messageOf = (channel: string, name: string) => ({ $ref: `#/channels/${channel}/messages/${name}` });

export function streamOperations(): Record<string, object> {
  return {
    sendScreen: {
      action: 'send',
      channel: on('stream'),
      summary: 'The screen as it goes on',
      messages: Object.keys(STREAM_MESSAGES).map((name) => messageOf('stream', name)),
    },
    requestKeyframe: {
      action: 'receive',
      channel: on('stream'),
      summary: 'Have the phone send a keyframe soon',
      messages: Object.keys(VIEWER_MESSAGES).map((name) => messageOf('stream', name)),
    },
  };
}

export function controlOperations(): Record<string, object> {
  const calls = methods.map((method) => [
    `call.${method}`,
    {
      action: 'receive',
      channel: on('control'),
      summary: METHOD_SUMMARIES[method],
      messages: [messageOf('control', method)],
      reply: {
        channel: on('control'),
        messages: [messageOf('control', `${method}.result`), messageOf('control', 'error')],
      },
    },
  ]);
  const told = notifications.map((method) => [
    `tell.${method}`,
    {
      action: 'send',
      channel: on('control'),
      summary: NOTIFICATION_SUMMARIES[method],
      messages: [messageOf('control', method)],
    },
  ]);
  const inject = {
    action: 'receive',
    channel: on('control'),
    summary: 'Pass a control message of scrcpy on to the phone',
    messages: [messageOf('control', 'inject')],
  };
  return { ...Object.fromEntries(calls), ...Object.fromEntries(told), inject };
}

export function adbOperations(): Record<string, object> {
  const bytes = { channel: on('adb'), messages: [messageOf('adb', 'adb.bytes')] };
  return {
    sendAdb: { action: 'send', summary: 'What the phone says', ...bytes },
    takeAdb: { action: 'receive', summary: 'What the adb server says', ...bytes },
  };
}
