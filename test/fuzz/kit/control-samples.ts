const call = (method: string, params: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

/** Calls of a control socket. The last one only checks whether the service responds. */
export const CALLS = [
  call('tap', { x: 0.5, y: 0.5 }),
  call('long_press', { x: 0.5, y: 0.5, ms: 1 }),
  call('swipe', { x1: 0, y1: 1, x2: 1, y2: 0, ms: 30 }, 'two'),
  call('touch', { action: 'down', pointer: 3, x: 0.1, y: 0.9, pressure: 0.5 }),
  call('scroll', { x: 0.5, y: 0.5, dx: 0, dy: -3 }),
  call('key', { key: 'HOME', action: 'press', meta: 1 }),
  call('text', { text: 'Grüße 📱' }, null),
  call('clipboard.set', { text: 'a', paste: true }),
  call('clipboard.get', {}),
  call('app.launch', { package: 'com.android.settings', activity: '.Main' }),
  call('app.list', {}),
  call('open_url', { url: 'https://example.com/' }),
  call('rotate', {}),
  call('ui.tree', {}),
  call('session.extend', { duration: 1 }),
  call('session.ping', {}),
];

/** One of each kind of scrcpy's control messages. The touch and scroll messages are for a screen of 540 × 1170. */
export const SCRCPY_MESSAGES = [
  '0000000000040000000000000041',
  '01000000056368c3a973',
  '020000000000000000070000010e00000249021c0492ffff0000000000000000',
  '020200000000000000070000010e000000c9021c0492ffff0000000000000000',
  '020100000000000000070000010e000000c9021c049200000000000000000000',
  '030000010e00000249021c04920000400000000000',
  '0400',
  '05',
  '0801',
  '0900000000000000010100000002c3a9',
  '0a00',
  '0a01',
  '0b',
  '0c00010002000303616263000401020304',
  '0d000100020304',
  '0e0001',
  '10036f7267',
  '1014636f6d2e616e64726f69642e73657474696e6773',
  '1017636f6d2e616e64726f69642e63616c63756c61746f7232',
  '11',
].map((hex) => Buffer.from(hex, 'hex'));
