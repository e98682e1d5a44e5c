import type { SocketOrigins } from '../../access/socket-address.ts';
import { CLOSE_CODES } from '../../contract/sockets/close-codes.ts';
import { RPC_ERROR_TABLE } from '../../contract/sockets/rpc-errors.ts';
import { STREAM_SUBPROTOCOLS } from '../../contract/sockets/stream-packets.ts';
import {
  ADB_MESSAGES,
  adbOperations,
  CONTROL_MESSAGES,
  controlOperations,
  STREAM_MESSAGES,
  streamOperations,
  VIEWER_MESSAGES,
} from './asyncapi-messages.ts';
import { NamedSchemas } from './named-schemas.ts';

const REFUSALS =
  'If the upgrade is rejected, the response is an HTTP error with the envelope of the API: 400 ' +
  '(unknown subprotocol), 401 (invalid token), 403 (Origin not allowed), 404 (unknown session or ' +
  'path), 410 (the session has ended), 429 (the account has reached its limit of open sockets), 503 ' +
  '(at capacity or temporarily unavailable, with Retry-After).';

const STREAM =
  'The screen of a session, as binary messages whose concatenation is the video socket of scrcpy. The ' +
  'stream starts with the codec, a session packet with the size, a config packet and a keyframe, so ' +
  'that a viewer that joins late immediately receives a frame. A viewer may only send keyframe requests. ' +
  `${REFUSALS}`;

const CONTROL =
  'The controls of a session. Text messages are JSON-RPC 2.0, and binary messages are scrcpy control ' +
  'messages. One client has control at a time: a new connection takes over, and the previous one is ' +
  'closed with 4009. A command that arrives before `session.ready` is held for at most 2 s and then ' +
  `fails with -32003. ${REFUSALS}`;

const ADB =
  'adb on the phone of a session, if the operator allows it. Binary messages carry the byte stream ' +
  'between an adb server and its daemon; message boundaries have no meaning. The socket opens once the ' +
  'session is connected. It is rejected with 403 if the phone does not support adb or the operator ' +
  `disabled it. ${REFUSALS}`;

/**
 * Builds the AsyncAPI 3.1 document of a session's sockets from the contract. It describes them from the perspective
 * of the service, so `send` is what the service sends.
 */
export function asyncApiDocument(origins: SocketOrigins): object {
  const named = new NamedSchemas();
  const messages = named.refer({
    ...STREAM_MESSAGES,
    ...VIEWER_MESSAGES,
    ...CONTROL_MESSAGES,
    ...ADB_MESSAGES,
  });
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Phonebooth sockets',
      version: '1',
      description:
        'The WebSockets of a session. Their URLs are `stream_url`, `control_url` and `adb_url` of the ' +
        'session, which `/openapi.json` describes. The URLs contain the access token, so no other ' +
        'credentials are needed.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      stream: server(origins.stream, 'Stream host'),
      control: server(origins.control, 'Control host; its name differs from that of the stream host'),
    },
    channels: {
      stream: {
        ...channel('stream', 'stream', STREAM, Object.keys({ ...STREAM_MESSAGES, ...VIEWER_MESSAGES })),
        'x-subprotocols': [...STREAM_SUBPROTOCOLS],
      },
      control: channel('control', 'control', CONTROL, Object.keys(CONTROL_MESSAGES)),
      adb: channel('adb', 'control', ADB, Object.keys(ADB_MESSAGES)),
    },
    operations: { ...streamOperations(), ...controlOperations(), ...adbOperations() },
    components: { messages, schemas: named.schemas },
    'x-error-codes': Object.entries(RPC_ERROR_TABLE).map(([name, { code, meaning }]) => {
      return { code, name, meaning };
    }),
  };
}

const server = (origin: string, description: string) => {
  const { host, protocol } = new URL(origin);
  return { host, protocol: protocol.slice(0, -1), description };
};

/** All sockets have the same close codes. */
const closeCodes = Object.entries(CLOSE_CODES).map(([name, { code, meaning, reconnect }]) => {
  return { code, name, meaning, comeBack: reconnect };
});

function channel(name: string, host: keyof SocketOrigins, description: string, messages: string[]): object {
  return {
    address: `/${name}/{token}/{session_id}`,
    description,
    servers: [{ $ref: `#/servers/${host}` }],
    parameters: {
      token: {
        description:
          'Access token. It is valid for this session and this socket only, and expires with the session',
      },
      session_id: { description: 'Session identifier' },
    },
    messages: Object.fromEntries(
      messages.map((message) => [message, { $ref: `#/components/messages/${message}` }]),
    ),
    bindings: { ws: { method: 'GET' } },
    'x-close-codes': closeCodes,
  };
}
