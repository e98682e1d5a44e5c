import { CLOSE, CLOSE_MEANINGS } from '../contract/sockets/close-codes.ts';
import { RPC_ERRORS, type RpcErrorName } from '../contract/sockets/rpc-errors.ts';
import { RPC_ERROR_MEANINGS } from '../contract/sockets/socket-texts.ts';
import { STREAM_SUBPROTOCOLS } from '../contract/sockets/stream-packets.ts';
import {
  ADB_MESSAGES,
  adbOperations,
  CONTROL_MESSAGES,
  controlOperations,
  STREAM_MESSAGES,
  streamOperations,
  VIEWER_MESSAGES,
} from './asyncapi-messages.ts';

const REFUSALS =
  'Who may not open it gets an HTTP answer with the envelope of the API instead of the upgrade: 401 (the token is wrong), ' +
  '403 (this Origin may not), 404 (no such session or path), 410 (the session has ended), 400 (unknown subprotocol), ' +
  '429 (the account has as many sockets as it may), 503 (full, or out of reach for now, with Retry-After).';

const STREAM =
  'The screen of a session: binary messages, whose concatenation is the video socket of scrcpy. First the codec, then a ' +
  'session packet with the size, a config packet and a keyframe, so that who comes late sees a picture at once. All ' +
  `that a viewer may send is a request for a keyframe. ${REFUSALS}`;

const CONTROL =
  'The controls of a session: text messages are JSON-RPC 2.0, binary ones scrcpy’s control messages. One client has ' +
  'control at a time: a newer connection takes over, and the older one is closed with 4009. A command of the ' +
  `phone that arrives before \`session.ready\` is held for at most 2 s, then answered -32003. ${REFUSALS}`;

const ADB =
  'adb on the phone of a session, where its operator allows it: binary messages that carry an adb server’s connection to ' +
  'its daemon, cut anywhere. It is opened once the session is connected; a phone without adb, or lent without it, is ' +
  `refused with 403. ${REFUSALS}`;

/** Public origins of the two socket hosts, `wss://…`. */
export interface SocketOrigins {
  stream: string;
  control: string;
}

/**
 * Builds the AsyncAPI 3.0 document of a session's sockets from the contract. It describes them from the perspective
 * of the service, so `send` is what the service sends.
 */
export function asyncApiDocument(origins: SocketOrigins): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Phonebooth sockets',
      version: '1',
      description:
        'The WebSockets of a session. Their addresses are `stream_url`, `control_url` and `adb_url` of the session, which ' +
        '`/openapi.json` describes; they carry their own access, and nothing else is needed to open them.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      stream: server(origins.stream, 'The stream host'),
      control: server(origins.control, 'The control host; its name differs from the stream host’s'),
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
    components: {
      messages: { ...STREAM_MESSAGES, ...VIEWER_MESSAGES, ...CONTROL_MESSAGES, ...ADB_MESSAGES },
    },
    'x-error-codes': Object.entries(RPC_ERRORS).map(([name, code]) => {
      return { code, name, meaning: RPC_ERROR_MEANINGS[name as RpcErrorName] };
    }),
  };
}

const server = (origin: string, description: string) => {
  const { host, protocol } = new URL(origin);
  return { host, protocol: protocol.slice(0, -1), description };
};

/** All sockets have the same close codes. */
const CLOSE_CODES = Object.entries(CLOSE).map(([name, code]) => {
  return { code, name, ...CLOSE_MEANINGS[name as keyof typeof CLOSE] };
});

function channel(name: string, host: keyof SocketOrigins, description: string, messages: string[]): object {
  return {
    address: `/${name}/{token}/{session_id}`,
    description,
    servers: [{ $ref: `#/servers/${host}` }],
    parameters: {
      token: {
        description: 'The access: of this session and this socket alone, and of no use after the session',
      },
      session_id: { description: 'Session identifier' },
    },
    messages: Object.fromEntries(
      messages.map((message) => [message, { $ref: `#/components/messages/${message}` }]),
    ),
    bindings: { ws: { method: 'GET' } },
    'x-close-codes': CLOSE_CODES,
  };
}
