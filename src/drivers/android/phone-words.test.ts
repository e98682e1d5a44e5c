import { expect, test } from 'vitest';
import { parseDeviceList } from './adb/device-tracker.ts';
import { parseLabels } from './control/app-methods.ts';
import { parseLogLine } from './control/logcat.ts';
import { parseUiTree } from './control/ui-tree.ts';
import { parseProperties } from './phone-description.ts';
import { DeviceMessageReader } from './scrcpy/device-messages.ts';
import { parseEncoders } from './scrcpy/encoders.ts';
import { entryOf } from './scrcpy/server-file.ts';
import { parseLockSettings, parseTrust } from './screen-lock.ts';

test('parses the device list of an adb server, including unusable devices', () => {
  const list = [
    '3A021FDJH0012B         device usb:1-1 product:shiba model:Pixel_8 device:shiba transport_id:4',
    '0123456789             no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html] usb:1-2 transport_id:5',
    '10.0.0.7:5555          offline transport_id:6',
    'ABCD                   authorizing transport_id:7',
    'EFGH                   recovery transport_id:8',
    '',
  ].join('\n');
  expect(parseDeviceList(list)).toEqual([
    { serial: '3A021FDJH0012B', state: 'device', transport: 4n },
    { serial: '0123456789', state: 'no-permissions', transport: 5n },
    { serial: '10.0.0.7:5555', state: 'offline', transport: 6n },
    { serial: 'ABCD', state: 'unauthorized', transport: 7n },
    { serial: 'EFGH', state: 'other', transport: 8n },
  ]);
});

test('parses encoders: H.264 only, hardware first, without aliases', () => {
  const text = `[server] INFO: List of video encoders:
    --video-codec=h264 --video-encoder=c2.android.avc.encoder          (sw)
    --video-codec=h264 --video-encoder=OMX.google.h264.encoder         (sw) (alias for c2.android.avc.encoder)
    --video-codec=h264 --video-encoder=c2.qti.avc.encoder              (hw) [vendor]
    --video-codec=h265 --video-encoder=c2.qti.hevc.encoder             (hw) [vendor]
`;
  expect(parseEncoders(text)).toEqual(['c2.qti.avc.encoder', 'c2.android.avc.encoder']);
});

test('parses app labels, including long ones on separate lines', () => {
  const text = `[server] INFO: List of apps:
 * Settings                       com.android.settings
 - Two Words                      org.acme.two_words
 - A name that is longer than thirty characters
                                  org.acme.long
`;
  expect([...parseLabels(text)]).toEqual([
    ['com.android.settings', 'Settings'],
    ['org.acme.two_words', 'Two Words'],
    ['org.acme.long', 'A name that is longer than thirty characters'],
  ]);
});

test('parses a log line', () => {
  expect(parseLogLine('1700000000.250  1234  5678 W Activity Manager: killed: 12 kB')).toEqual({
    time: '2023-11-14T22:13:20.250Z',
    level: 'W',
    tag: 'Activity Manager',
    message: 'killed: 12 kB',
  });
  expect(parseLogLine('--------- beginning of main')).toBeNull();
  expect(parseLogLine('170000000000000.250  1234  5678 W tag: timestamp out of range')).toBeNull();
});

test('parses the UI hierarchy', () => {
  const node = (attributes: string, inside: string | null = null) =>
    inside === null ? `<node ${attributes} />` : `<node ${attributes}>${inside}</node>`;
  const xml = `<?xml version='1.0'?><hierarchy rotation="0">${node(
    'text="" class="android.widget.FrameLayout" bounds="[0,0][1000,2000]"',
    node(
      'text="" content-desc="5 &gt; 4 &#128075;" class="android.widget.ImageButton" resource-id="a:id/b" clickable="true" bounds="[250,500][500,1000]"',
    ),
  )}</hierarchy>`;
  expect(parseUiTree(xml).children).toEqual([
    {
      role: 'FrameLayout',
      class: 'android.widget.FrameLayout',
      bounds: { x: 0, y: 0, width: 1, height: 1 },
      children: [
        {
          role: 'ImageButton',
          class: 'android.widget.ImageButton',
          description: '5 > 4 👋',
          text: '5 > 4 👋',
          id: 'a:id/b',
          clickable: true,
          bounds: { x: 0.25, y: 0.25, width: 0.25, height: 0.25 },
          children: [],
        },
      ],
    },
  ]);
});

test('parses an extremely deep UI hierarchy and one with invalid values', () => {
  const nested = (depth: number) => parseUiTree(`<hierarchy>${'<node bounds="[0,0][9,9]">'.repeat(depth)}`);
  expect(() => JSON.stringify(nested(5_000))).not.toThrow();
  const odd = `<node class="&constructor;" bounds="[0,0][${'9'.repeat(400)},1]"/>`;
  expect(parseUiTree(odd).children).toEqual([
    {
      role: '&constructor;',
      class: '&constructor;',
      bounds: { x: 0, y: 0, width: 0, height: 0 },
      children: [],
    },
  ]);
});

/**
 * Repetitions of each text that a backtracking parser scans again and again. At this length, that would take minutes.
 */
const HOSTILE = [
  '<node ',
  '<node a="b" ',
  '<node "',
  '\n',
  ' * a',
  '[\n',
  '[a]: [',
  '(current)',
  '1',
  ' : ',
  ' ',
].map((piece) => piece.repeat(400_000 / piece.length));

test.each([
  ['a UI hierarchy', parseUiTree],
  ['labels', parseLabels],
  ['labels on one line', (text: string) => parseLabels(` * ${text}`)],
  ['a log line', (text: string) => parseLogLine(`1700000000.250  1234  5678 W ${text}`)],
  ['properties', parseProperties],
  [
    'encoders',
    (text: string) => parseEncoders(`${'--video-codec=h264 --video-encoder=a'.repeat(10_000)}${text}`),
  ],
  ['a screen lock', parseLockSettings],
  ['a trusted user', parseTrust],
])('parses %s in linear time', (_, read) => {
  const before = process.threadCpuUsage();
  for (const text of HOSTILE) read(text);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000_000).toBeLessThan(3);
});

test('reads the focused, scrollable and checked state from a uiautomator hierarchy', () => {
  const node = (flags: string) => `<node class="android.view.View" bounds="[0,0][10,10]" ${flags} />`;
  const xml = `<hierarchy>${node('checked="true" focused="false"')}${node('focused="true" scrollable="true"')}</hierarchy>`;
  const [on, field] = parseUiTree(xml).children ?? [];
  expect(on).toMatchObject({ checked: true });
  expect(field).toMatchObject({ focused: true, scrollable: true });
  expect(on).not.toHaveProperty('focused');
});

test('parses device messages of the control socket in chunks of any size', () => {
  const bytes = Buffer.from('00000000036869210100000000000000070200010002abcd', 'hex');
  for (const step of [1, 4, bytes.length]) {
    const reader = new DeviceMessageReader();
    const seen = [];
    for (let at = 0; at < bytes.length; at += step) seen.push(...reader.push(bytes.subarray(at, at + step)));
    expect(seen).toEqual([
      { type: 'clipboard', text: 'hi!' },
      { type: 'clipboard-set', sequence: 7n },
    ]);
  }
  expect(() => [...new DeviceMessageReader().push(Buffer.from([9]))]).toThrow('unknown type 9');
  expect(() => [...new DeviceMessageReader().push(Buffer.from('00ffffffff', 'hex'))]).toThrow('bytes');
});

test('extracts one file of a tar archive', () => {
  const entry = (name: string, content: string) => {
    const header = Buffer.alloc(512);
    header.write(name);
    header.write(content.length.toString(8).padStart(11, '0'), 124);
    return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
  };
  const tar = Buffer.concat([
    entry('package/a', 'x'.repeat(600)),
    entry('package/b', 'here'),
    Buffer.alloc(1024),
  ]);
  expect(entryOf(tar, 'package/b').toString()).toBe('here');
  expect(() => entryOf(tar, 'package/c')).toThrow('does not contain package/c');
});
