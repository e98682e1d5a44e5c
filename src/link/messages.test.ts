import { expect, test } from 'vitest';
import {
  encodeLinkMessage,
  LinkProtocolError,
  parseControlCall,
  parseControlReply,
  parseStreamRequest,
} from './messages.ts';

test('encodes each message as its literal text', () => {
  expect(encodeLinkMessage({ type: 'keyframe' })).toBe('{"type":"keyframe"}');
  expect(encodeLinkMessage({ type: 'call', id: 1, method: 'tap', params: { x: 0.5, y: 0 } })).toBe(
    '{"type":"call","id":1,"method":"tap","params":{"x":0.5,"y":0}}',
  );
  expect(encodeLinkMessage({ type: 'ready', width: 540, height: 1170, capabilities: ['tap'] })).toBe(
    '{"type":"ready","width":540,"height":1170,"capabilities":["tap"]}',
  );
  expect(encodeLinkMessage({ type: 'error', id: 1, kind: 'failed', message: 'no' })).toBe(
    '{"type":"error","id":1,"kind":"failed","message":"no"}',
  );
});

test('decodes what the other end encodes', () => {
  expect(parseStreamRequest('{"type":"keyframe"}')).toEqual({ type: 'keyframe' });
  expect(parseControlCall('{"type":"call","id":7,"method":"app.list","params":{}}')).toEqual({
    type: 'call',
    id: 7,
    method: 'app.list',
    params: {},
  });
  for (const text of [
    '{"type":"ready","width":1,"height":2,"capabilities":[]}',
    '{"type":"result","id":1,"result":null}',
    '{"type":"error","id":1,"kind":"unsupported","message":"it cannot"}',
    '{"type":"taken-over"}',
    '{"type":"notification","method":"clipboard.changed","params":{"text":"é"}}',
  ]) {
    expect(parseControlReply(text)).toEqual(JSON.parse(text));
  }
});

test("sanitizes the phone's human-readable texts: errors, progress and log lines", () => {
  const read = (reply: object) => parseControlReply(JSON.stringify(reply));
  const sly = 'a\u001b[2J\u202eb\nc';
  const error = { type: 'error', id: 1, kind: 'failed', message: sly };
  expect(read(error)).toEqual({ ...error, message: 'a [2J b c' });
  const line = (method: string, params: object) => ({ type: 'notification', method, params });
  expect(read(line('log.line', { time: 'now', level: 'I', tag: sly, message: sly }))).toEqual(
    line('log.line', { time: 'now', level: 'I', tag: 'a [2J b c', message: 'a [2J b c' }),
  );
  expect(read(line('app.progress', { percent: 5, message: sly }))).toEqual(
    line('app.progress', { percent: 5, message: 'a [2J b c' }),
  );
  const clipboard = line('clipboard.changed', { text: sly });
  expect(read(clipboard)).toEqual(clipboard);
});

test.each([
  ['binary', new Uint8Array([1])],
  ['not JSON', '{'],
  ['another type', '{"type":"reboot"}'],
  ['a result without an id', '{"type":"result","result":null}'],
  ['a notification reserved for the gateway', '{"type":"notification","method":"session.ended","params":{}}'],
  ['a capability that is not a method', '{"type":"ready","width":1,"height":1,"capabilities":["fly"]}'],
])('rejects %s', (_, message) => {
  expect(() => parseControlReply(message)).toThrow(LinkProtocolError);
});

test('does not accept the service’s own method as a call to the phone', () => {
  expect(() =>
    parseControlCall('{"type":"call","id":1,"method":"session.extend","params":{"duration":1}}'),
  ).toThrow(LinkProtocolError);
});
