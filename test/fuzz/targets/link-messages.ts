import { isDeepStrictEqual } from 'node:util';
import {
  encodeLinkMessage,
  LinkProtocolError,
  parseAppReply,
  parseControlCall,
  parseControlReply,
  parseStreamRequest,
} from '../../../src/link/messages.ts';
import { encodeHello, parseHello } from '../../../src/link/websocket-hello.ts';
import { type Target, unlessRefused } from '../engine/target.ts';

const MESSAGES = [
  { type: 'keyframe' },
  { type: 'taken', taken: 3 },
  { type: 'call', id: 1, method: 'tap', params: { x: 0.5, y: 0.5 } },
  { type: 'ready', width: 540, height: 1170, capabilities: ['tap', 'text'] },
  { type: 'result', id: 1, result: null },
  { type: 'error', id: 1, kind: 'failed', message: 'no' },
  { type: 'taken-over' },
  { type: 'notification', method: 'clipboard.changed', params: { text: 'a' } },
];
const HELLO = encodeHello({ sessionId: 'ses_1', epoch: 4, purpose: 'stream', ticket: 'abc' });

/** Parses a text message of a link, or the header that opens a link. */
export const target: Target = {
  seeds: () => [...MESSAGES.map((it) => JSON.stringify(it)), HELLO].map((text) => Buffer.from(text)),
  run: (input) => {
    const text = input.toString();
    for (const parse of [parseStreamRequest, parseAppReply, parseControlCall, parseControlReply]) {
      const message = unlessRefused([LinkProtocolError], () => parse(text));
      if (message && !isDeepStrictEqual(parse(encodeLinkMessage(message)), message))
        throw new Error('the message does not round-trip');
      unlessRefused([LinkProtocolError], () => parse(input));
    }
    for (const header of [text, `Phonebooth-Link ${input.toString('base64url')}`]) {
      const hello = parseHello(header);
      if (hello && !isDeepStrictEqual(parseHello(encodeHello(hello)), hello))
        throw new Error('the hello does not round-trip');
    }
  },
};
