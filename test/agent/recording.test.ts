import { appendFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { encodeScrcpyControl } from '../../src/contract/sockets/scrcpy-control.ts';
import { DriverError } from '../../src/drivers/driver.ts';
import {
  allContent,
  beginLease,
  closeRigs,
  endLease,
  FOLDER,
  linesOf,
  pictureHashes,
  RecordingPlane,
  type Rig,
  startRig,
  until,
} from './recording-rig.ts';
import { Screen } from './screen.ts';

afterEach(closeRigs);

/** Starts a recorded lease whose phone has sent its first frame. */
async function record(rig: Rig, recording: Parameters<typeof beginLease>[1] = {}): Promise<Screen> {
  await beginLease(rig, recording);
  const screen = new Screen((packet) => rig.session.emit(packet));
  screen.show(1);
  await until(async () => expect(await readdir(join(rig.folder, FOLDER))).toContain('events.jsonl'));
  return screen;
}

const typeOf = (rig: Rig) => rig.plane.events.map(({ type }) => type);
const detail = (rig: Rig) => rig.plane.recorded[0]!.detail;

test('a session whose screen is rotated becomes two videos with every frame', async () => {
  const rig = await startRig();
  const screen = await record(rig);
  screen.show(9);
  const upright = screen.packets.splice(0);
  screen.turn({ width: 128, height: 64 });
  screen.show(7);
  await endLease(rig);

  expect([...rig.plane.artifacts.keys()]).toEqual(['events.jsonl', 'video-1.mp4', 'video-2.mp4']);
  for (const [name, packets, size] of [
    ['video-1.mp4', upright, { width: 64, height: 128 }],
    ['video-2.mp4', screen.packets, { width: 128, height: 64 }],
  ] as const) {
    const { facts, content } = rig.plane.artifacts.get(name)!;
    expect(facts).toMatchObject({ kind: 'video', ...size });
    const stream = Buffer.concat(
      packets.flatMap((packet) => (packet.type === 'session' ? [] : [packet.data])),
    );
    const hashes = pictureHashes(content, size);
    expect(hashes).toHaveLength(packets.length - 2);
    expect(hashes).toEqual(pictureHashes(stream, size));
    // A player that seeks with range requests reads the tables first.
    expect(content.indexOf('moov')).toBeLessThan(content.indexOf('mdat'));
  }
  expect(rig.plane.artifacts.get('video-2.mp4')!.facts.offsetMs).toBe(200);
  expect(typeOf(rig)).toEqual(['started', 'rotation', 'stopped']);
  expect(rig.plane.recorded).toEqual([{ sessionId: 'session-1', epoch: 1, detail: null }]);
});

test('records what clients do, the log and screenshots', async () => {
  const rig = await startRig({
    prepare: (phone) => {
      phone.methods = ['tap', 'touch', 'screenshot', 'app.install', 'log.start', 'log.stop'];
    },
  });
  await record(rig);
  const { session, plane } = rig;
  const line = (message: string) =>
    session.say({ method: 'log.line', params: { time: '10:00', level: 'I', tag: 'app', message } });
  expect(session.performed.map(({ method }) => method)).toEqual(['log.start']);
  line('first');
  await plane.control({ id: 'key-1', name: 'Ada' });
  await plane.call('tap', { x: 0.25, y: 0.5 });
  expect(plane.replies[0]).toMatchObject({ capabilities: expect.arrayContaining(['recording.mark']) });
  session.answer = async (method) => {
    if (method === 'tap') throw new DriverError('failed', 'the screen is off');
    return method === 'screenshot' ? { png: Buffer.from('picture').toString('base64') } : null;
  };
  await plane.call('tap', { x: 0.5, y: 0.5 });
  await plane.call('touch', { action: 'down', x: 0.1, y: 0.2 });
  for (let i = 0; i < 100; i += 1) await plane.call('touch', { action: 'move', x: 0.1, y: 0.2 + i / 1000 });
  await plane.call('touch', { action: 'up', x: 0.1, y: 0.3 });
  expect(await plane.call('recording.mark', { label: 'Step 1' })).toMatchObject({
    result: { recorded: true },
  });
  await plane.call('screenshot');
  await plane.dial('screenshot');
  // A client that stops its log does not stop that of the recording.
  await plane.call('log.start');
  await plane.call('log.stop');
  line('second');
  await plane.call('app.install', { app_id: 'app-1' });
  await plane.beside({ method: 'tap', params: { x: 0, y: 0 }, isDirect: true });
  await plane.beside({
    command: { id: 'c', name: 'click', startedAt: 'now', ms: 5, error: 'stale element' },
  });
  await endLease(rig);

  const { events } = plane;
  expect(linesOf(plane.text('log.jsonl'))).toMatchObject([
    { time: '10:00', level: 'I', tag: 'app', message: 'first' },
    { message: 'second' },
  ]);
  expect(plane.text('screenshot-1.png')).toBe('picture');
  expect(plane.artifacts.has('screenshot-2.png')).toBe(true);
  const moves = events.filter((event) => event.type === 'touch' && event.action === 'move');
  expect(moves.length).toBeGreaterThan(0);
  expect(moves.length).toBeLessThan(100);
  expect(events).toEqual(
    expect.arrayContaining(
      [
        { type: 'takeover', by: 'Ada' },
        { type: 'command', method: 'tap', params: { x: 0.25, y: 0.5 }, by: 'controller' },
        { type: 'command', method: 'tap', error: 'the screen is off' },
        { type: 'touch', pointer: 0, action: 'up', x: 0.1, y: 0.3 },
        { type: 'mark', label: 'Step 1' },
        { type: 'screenshot', name: 'screenshot-1.png' },
        { type: 'app', app_id: 'app-1', status: 'installed' },
        { type: 'command', method: 'tap', by: 'api' },
        { type: 'webdriver', name: 'click', ms: 5, error: 'stale element' },
      ].map((event) => expect.objectContaining(event)),
    ),
  );
  expect(session.performed.filter(({ method }) => method === 'log.stop')).toEqual([]);
});

const SECRET = 'QXJZ7';
const SPELLED = ['Q', 'X', 'J', 'Z', '7'];

/** Types the secret in every way that a client can type. */
async function typeSecret(rig: Rig): Promise<void> {
  const { plane, session } = rig;
  session.answer = async (method, params) => {
    if (method === 'open_url') throw new DriverError('failed', `no app opens ${JSON.stringify(params)}`);
    return method === 'clipboard.get' ? { text: SECRET } : null;
  };
  const link = await plane.control();
  await plane.call('text', { text: SECRET });
  await plane.call('clipboard.set', { text: SECRET, paste: true });
  await plane.call('clipboard.get');
  await plane.call('shell', { command: `echo ${SECRET}` });
  await plane.call('open_url', { url: `https://example.com/?token=${SECRET}` });
  await plane.call('app.launch', { package: 'com.example', activity: SECRET });
  for (const key of SPELLED) await plane.call('key', { key });
  const inject = (message: Parameters<typeof encodeScrcpyControl>[0]) =>
    link.send(encodeScrcpyControl(message));
  inject({ type: 'text', text: SECRET });
  inject({ type: 'set-clipboard', sequence: 0n, paste: true, text: SECRET });
  inject({ type: 'start-app', name: `?${SECRET}` });
  inject({ type: 'uhid-input', id: 1, data: Buffer.from(SECRET) });
  for (const keycode of [45, 52, 38, 54, 14]) inject({ type: 'key', action: 0, keycode, repeat: 0, meta: 0 });
  inject({ type: 'key', action: 0, keycode: 4, repeat: 0, meta: 0 });
  session.say({ method: 'clipboard.changed', params: { text: SECRET } });
  await plane.beside({ method: 'text', params: { text: SECRET }, isDirect: true });
  await plane.call('key', { key: 'HOME' });
}

test('typed text is in no file of a recording', async () => {
  const rig = await startRig();
  await record(rig);
  await typeSecret(rig);
  // The folder is read before the upload and the artifacts after it.
  const marked = async () => expect(await allContent(rig.folder)).toContain('HOME');
  await until(marked);
  expect(await allContent(rig.folder)).not.toContain(SECRET);
  await endLease(rig);
  const texts = rig.plane.text('events.jsonl');
  expect(texts).not.toContain(SECRET);
  for (const character of SPELLED) expect(texts).not.toContain(`"${character}"`);
  const commands = rig.plane.events.filter((event) => event.type === 'command');
  expect(commands.find(({ method }) => method === 'text')).toMatchObject({ params: { text: { length: 5 } } });
  expect(commands.find(({ method }) => method === 'open_url')).toMatchObject({ error: 'failed' });
  expect(commands.find(({ method }) => method === 'key')).toMatchObject({ params: { key: { length: 1 } } });
  const inputs = rig.plane.events.filter((event) => event.type === 'input');
  expect(inputs.map(({ kind, detail: text }) => `${kind} ${text}`)).toEqual([
    ...['text 5 characters', 'other set-clipboard: 5 characters', 'other start-app', 'other uhid-input'],
    ...Array.from(SPELLED, () => 'key undefined'),
    'key BACK',
  ]);
});

test('typed text is recorded for a session that was created with record_text', async () => {
  const rig = await startRig();
  await record(rig, { text: true });
  await typeSecret(rig);
  await endLease(rig);
  const events = JSON.stringify(rig.plane.events);
  for (const text of [
    `"text":"${SECRET}"`,
    `echo ${SECRET}`,
    '"key":"Q"',
    `"detail":"${SECRET}"`,
    '"detail":"J"',
  ])
    expect(events).toContain(text);
});

test('a recording stops at the limit of its account, keeps what exists, and the stream continues', async () => {
  const rig = await startRig();
  const screen = await record(rig, { maxBytes: 100_000 });
  screen.show(10);
  await rig.plane.order({ recording: { text: false, maxBytes: 1_000 } });
  const last = rig.session;
  screen.show(5);
  await rig.plane.control();
  expect(await rig.plane.call('recording.mark', { label: 'late' })).toMatchObject({
    result: { recorded: false },
  });
  await endLease(rig);
  expect(last.disposed).toBe(true);
  expect(detail(rig)).toContain('max_artifact_bytes');
  expect(typeOf(rig)).toEqual(['started', 'stopped']);
  const { facts, content } = rig.plane.artifacts.get('video-1.mp4')!;
  expect(pictureHashes(content, { width: 64, height: 128 })).toHaveLength(11);
  expect(facts.size).toBeLessThan(100_000);
});

test.each([
  ['other recordings', { maxBytes: 10 }, 'PHONEBOOTH_MAX_RECORDING_STORAGE'],
  ['other files', { reserveBytes: Number.MAX_SAFE_INTEGER }, 'PHONEBOOTH_DISK_RESERVE'],
])('a recording stops when the disk of the host is needed for %s', async (_, options, setting) => {
  const rig = await startRig(options);
  rig.plane.refuse = ({ kind }) => (kind === 'events' ? { refused: 'no space' } : null);
  await record(rig);
  const isStopped = async () => expect(await readdir(join(rig.folder, FOLDER))).toContain('end.json');
  await until(isStopped);
  await endLease(rig);
  expect(detail(rig)).toContain(setting);
  expect(detail(rig)).toContain('; events.jsonl was not stored: no space');
  expect(rig.plane.artifacts.has('video-1.mp4')).toBe(true);
});

test('a file that cannot be written stops the recording, and the session continues', async () => {
  const rig = await startRig();
  await mkdir(join(rig.folder, FOLDER, 'log.jsonl'), { recursive: true });
  await mkdir(join(rig.folder, FOLDER, 'video-1.samples'));
  await beginLease(rig);
  const screen = new Screen((packet) => rig.session.emit(packet));
  screen.show(5);
  await until(async () => expect(await readdir(join(rig.folder, FOLDER))).toContain('end.json'));
  await rig.plane.control();
  expect(await rig.plane.call('tap', { x: 0.5, y: 0.5 })).toMatchObject({ result: null });
  await endLease(rig);
  expect(detail(rig)).toContain('the host could not write the recording (EISDIR)');
});

test('a recording whose last frames cannot be written when the session ends is incomplete', async () => {
  const rig = await startRig();
  await mkdir(join(rig.folder, FOLDER, 'video-1.samples'), { recursive: true });
  await beginLease(rig);
  new Screen((packet) => rig.session.emit(packet)).show(5);
  await endLease(rig);
  expect(detail(rig)).toContain('the host could not write the recording (EISDIR)');
  expect(rig.plane.artifacts.has('video-1.mp4')).toBe(false);
});

test('a lease whose phone sends no frame has no recording', async () => {
  const rig = await startRig();
  await beginLease(rig);
  await endLease(rig);
  expect(rig.plane.artifacts.size).toBe(0);
  expect(detail(rig)).toBe('the phone sent no frame');
});

test('a host that is restarted continues the recording of a lease that it serves again', async () => {
  const plane = new RecordingPlane();
  const first = await startRig({ plane });
  (await record(first)).show(4);
  await first.agent[Symbol.asyncDispose]();
  const second = await startRig({ plane, folder: first.folder });
  await until(() => expect(second.phone.session).not.toBe(null));
  const screen = new Screen((packet) => second.session.emit(packet));
  screen.show(3);
  await endLease(second);
  expect(detail(second)).toBe(null);
  expect(typeOf(second)).toEqual(['started', 'stopped']);
  const size = { width: 64, height: 128 };
  const [one, two] = ['video-1.mp4', 'video-2.mp4'].map((name) => plane.artifacts.get(name)!);
  expect(pictureHashes(one!.content, size)).toHaveLength(5);
  expect(pictureHashes(two!.content, size)).toHaveLength(3);
  expect(two!.facts.offsetMs).toBeGreaterThanOrEqual(one!.facts.durationMs!);
});

test('a session that ends before its restarted host has recorded a frame keeps what was recorded before', async () => {
  const plane = new RecordingPlane();
  const first = await startRig({ plane });
  (await record(first)).show(4);
  await first.agent[Symbol.asyncDispose]();
  const second = await startRig({ plane, folder: first.folder });
  await until(() => expect(second.phone.session).not.toBe(null));
  await endLease(second);
  expect(detail(second)).toContain('the recording stopped before the session ended: the host was restarted');
  expect(plane.artifacts.has('video-1.mp4')).toBe(true);
});

test.each([
  ['backwards', '2199-01-01T00:00:00.000Z'],
  ['forwards', '2001-01-01T00:00:00.000Z'],
])('a clock of the host that jumps %s before a restart does not move the next part far', async (_, at) => {
  const plane = new RecordingPlane();
  const first = await startRig({ plane });
  (await record(first)).show(4);
  await first.agent[Symbol.asyncDispose]();
  const events = join(first.folder, FOLDER, 'events.jsonl');
  const text = await readFile(events, 'utf8');
  await writeFile(events, text.replace(/"at":"[^"]+"/, `"at":"${at}"`));
  const second = await startRig({ plane, folder: first.folder });
  await until(() => expect(second.phone.session).not.toBe(null));
  new Screen((packet) => second.session.emit(packet)).show(3);
  await endLease(second);
  const [one, two] = ['video-1.mp4', 'video-2.mp4'].map((name) => plane.artifacts.get(name)!.facts);
  expect(one!.durationMs).toBeGreaterThan(0);
  expect(two!.offsetMs).toBeGreaterThanOrEqual(one!.durationMs!);
  expect(two!.offsetMs).toBeLessThanOrEqual(one!.durationMs! + 600_000);
});

test('events that exceed 20 MB end, and the video continues, also in another process', async () => {
  const plane = new RecordingPlane();
  const first = await startRig({ plane });
  await record(first);
  const events = join(first.folder, FOLDER, 'events.jsonl');
  const size = async () => (await stat(events)).size;
  await first.agent[Symbol.asyncDispose]();
  // The lines of an earlier process count.
  const mark = `${JSON.stringify({ t: 1, type: 'mark', label: 'x'.repeat(1_000) })}\n`;
  await appendFile(
    events,
    mark.repeat(Math.ceil((20 * 1024 * 1024 - 1_000 - (await size())) / mark.length) - 1),
  );
  const second = await startRig({ plane, folder: first.folder });
  await until(() => expect(second.phone.session).not.toBe(null));
  const screen = new Screen((packet) => second.session.emit(packet));
  screen.show(1);
  await until(async () => expect(await readdir(join(first.folder, FOLDER))).toContain('video-2.index'));
  await plane.control();
  const label = 'y'.repeat(500);
  let isRecorded = true;
  for (let i = 0; i < 10 && isRecorded; i += 1)
    isRecorded = ((await plane.call('recording.mark', { label })).result as { recorded: boolean }).recorded;
  expect(isRecorded).toBe(false);
  screen.show(3);
  await second.agent[Symbol.asyncDispose]();
  const third = await startRig({ plane, folder: first.folder });
  await until(() => expect(third.phone.session).not.toBe(null));
  new Screen((packet) => third.session.emit(packet)).show(2);
  await endLease(third);
  const reason = 'the events are longer than 20 MB; their end was not recorded';
  expect(detail(third)).toBe(reason);
  expect(plane.events.filter(({ type }) => type === 'stopped')).toHaveLength(1);
  expect(plane.events.at(-1)).toMatchObject({ type: 'stopped', reason });
  const pictures = ['video-2.mp4', 'video-3.mp4'].map(
    (name) => pictureHashes(plane.artifacts.get(name)!.content, { width: 64, height: 128 }).length,
  );
  expect(pictures).toEqual([4, 2]);
});

test('entries of the recordings folder that are not recordings are ignored', async () => {
  const rig = await startRig();
  await writeFile(join(rig.folder, 'notes.txt'), 'mine');
  await mkdir(join(rig.folder, 'other folder'));
  await symlink('/etc', join(rig.folder, 'session-9.1'));
  await rig.agent[Symbol.asyncDispose]();
  const again = await startRig({ folder: rig.folder, resumeMs: 0 });
  await record(again);
  await symlink('/etc/passwd', join(rig.folder, FOLDER, 'screenshot-1.5.png'));
  await again.plane.order(null);
  await until(() => expect(again.plane.recorded).toHaveLength(1));
  expect([...again.plane.artifacts.keys()]).toEqual(['events.jsonl', 'video-1.mp4']);
  await until(async () =>
    expect((await readdir(rig.folder)).sort()).toEqual(['notes.txt', 'other folder', 'session-9.1']),
  );
});
