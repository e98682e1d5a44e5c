import { type TSchema, Type } from 'typebox';
import { CONTROL_METHODS, type ControlMethod } from '../../contract/sockets/control-methods.ts';
import {
  CONTROL_NOTIFICATIONS,
  type ControlNotifications,
} from '../../contract/sockets/control-notifications.ts';
import { RPC_ERRORS } from '../../contract/sockets/rpc-errors.ts';
import { RESET_VIDEO } from '../../contract/sockets/stream-packets.ts';

const methods = Object.keys(CONTROL_METHODS) as ControlMethod[];
const notifications = Object.keys(CONTROL_NOTIFICATIONS) as (keyof ControlNotifications)[];

const RpcId = Type.Union([Type.String(), Type.Number()], { description: 'The result has the same id' });
/** `title` is the name of the schema in the document. */
const rpc = <T extends Record<string, TSchema>>(title: string, properties: T) =>
  Type.Object({ jsonrpc: Type.Literal('2.0'), ...properties }, { title });

/** `app.install`: `AppInstall` */
const pascalCase = (name: string) =>
  name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

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
    'The first message: 4 bytes, 0x68323634 (`h264`). In the layout `scrcpy.v3`, 12 bytes: the codec, ' +
      'the width and the height.',
  ),
  'stream.session': binary(
    'Session packet',
    '12 bytes, big-endian: 0x80000000, then the width and height of the video in pixels (u32 each). ' +
      'Sent before the first media packet and whenever the size changes. The layout `scrcpy.v3` has no ' +
      'session packets.',
  ),
  'stream.media': binary(
    'Media packet',
    '12 bytes, then an H.264 access unit in Annex B format. Big-endian: a u64 with bit 62 (config: ' +
      'parameter sets without a frame), bit 61 (keyframe) and 61 bits of presentation time in µs; then ' +
      'the length of the access unit as a u32. In the layout `scrcpy.v3`, the flags are bits 63 and 62.',
  ),
};

/** The messages that a viewer may send. */
export const VIEWER_MESSAGES: Record<string, object> = {
  'stream.keyframe-request': binary(
    'Keyframe request',
    `One byte, ${RESET_VIDEO[0]} (scrcpy’s reset-video). Accepted once a second.`,
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
    summary: 'Why a call failed',
    payload: rpc('CallError', {
      id: Type.Union([RpcId, Type.Null()], { description: 'null if the id of the call is unknown' }),
      error: Type.Object({
        code: Type.Enum(Object.values(RPC_ERRORS)),
        message: Type.String(),
        data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    }),
  },
  inject: binary(
    'scrcpy control message',
    'One control message of scrcpy 3.3.3. Its type and length are checked, and it is forwarded ' +
      'unchanged. The only response is an error, with `id` null.',
  ),
};

export const ADB_MESSAGES: Record<string, object> = {
  'adb.bytes': binary(
    'adb data',
    'A part of the byte stream, of any length up to 4 MiB from the client. Message boundaries have no ' +
      'meaning.',
  ),
};

function callAndResult(method: ControlMethod): [string, object][] {
  const { summary, params, result } = CONTROL_METHODS[method];
  const correlationId = { location: '$message.payload#/id' };
  const call = {
    name: method,
    title: method,
    summary,
    correlationId,
    payload: rpc(`${pascalCase(method)}Call`, {
      id: Type.Optional(RpcId),
      method: Type.Literal(method),
      params,
    }),
  };
  const answer = {
    name: `${method}.result`,
    title: `Result of ${method}`,
    correlationId,
    payload: rpc(`${pascalCase(method)}Result`, { id: RpcId, result }),
  };
  return [
    [method, call],
    [answer.name, answer],
  ];
}

function notification(method: keyof ControlNotifications): [string, object] {
  const { summary, params } = CONTROL_NOTIFICATIONS[method];
  return [
    method,
    {
      name: method,
      title: method,
      summary,
      payload: rpc(`${pascalCase(method)}Notification`, { method: Type.Literal(method), params }),
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
      summary: 'Receive the screen stream',
      messages: Object.keys(STREAM_MESSAGES).map((name) => messageOf('stream', name)),
    },
    requestKeyframe: {
      action: 'receive',
      channel: on('stream'),
      summary: 'Request a keyframe',
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
      summary: CONTROL_METHODS[method].summary,
      messages: [messageOf('control', method)],
      reply: {
        channel: on('control'),
        messages: [messageOf('control', `${method}.result`), messageOf('control', 'error')],
      },
    },
  ]);
  const notified = notifications.map((method) => [
    `tell.${method}`,
    {
      action: 'send',
      channel: on('control'),
      summary: CONTROL_NOTIFICATIONS[method].summary,
      messages: [messageOf('control', method)],
    },
  ]);
  const inject = {
    action: 'receive',
    channel: on('control'),
    summary: 'Send a scrcpy control message to the phone',
    messages: [messageOf('control', 'inject')],
  };
  return { ...Object.fromEntries(calls), ...Object.fromEntries(notified), inject };
}

export function adbOperations(): Record<string, object> {
  const bytes = { channel: on('adb'), messages: [messageOf('adb', 'adb.bytes')] };
  return {
    sendAdb: { action: 'send', summary: 'Receive data from the phone', ...bytes },
    takeAdb: { action: 'receive', summary: 'Send data from the adb server', ...bytes },
  };
}
