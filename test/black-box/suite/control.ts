import { describe, expect, test } from 'vitest';
import { type Session, succeeded } from '../kit/api.ts';
import { type BorrowRequest, borrow, borrowConnected } from '../kit/borrow.ts';
import { Controller } from '../kit/controller.ts';
import type { Target } from '../kit/target.ts';
import { Viewer } from '../kit/viewer.ts';
import { until, within } from '../kit/wait.ts';

interface Node {
  role: string;
  text?: string;
  bounds: { x: number; y: number; width: number; height: number };
  children?: Node[];
}

const flatten = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(flatten)];

/** scrcpy 3.3.3, INJECT_TOUCH_EVENT (type 2): 32 bytes, big-endian. */
function touchMessage(
  action: 0 | 1 | 2,
  at: { x: number; y: number },
  size: { width: number; height: number },
): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt8(2, 0);
  bytes.writeUInt8(action, 1);
  bytes.writeBigInt64BE(-2n, 2); // SC_POINTER_ID_GENERIC_FINGER
  bytes.writeInt32BE(Math.round(at.x * size.width), 10);
  bytes.writeInt32BE(Math.round(at.y * size.height), 14);
  bytes.writeUInt16BE(size.width, 18);
  bytes.writeUInt16BE(size.height, 20);
  bytes.writeUInt16BE(action === 1 ? 0 : 0xffff, 22);
  return bytes;
}

/** The control socket: JSON-RPC 2.0 as text, scrcpy's control messages as binary. */
export function controlSuite(target: Target): void {
  const control = (loan: BorrowRequest) => Controller.ready(loan.session.control_url, target);
  const watch = async (loan: BorrowRequest) => {
    const viewer = await Viewer.open(loan.session.stream_url, target);
    await viewer.firstFrame();
    return viewer;
  };

  describe('the control socket', () => {
    test('opens while the session is connecting, and first reports that the phone is ready', async () => {
      await using loan = await borrow(target.api);
      await using viewer = await Viewer.open(loan.session.stream_url, target);
      await using controller = await Controller.open(loan.session.control_url, target);
      const ready = await controller.notified('session.ready');
      await viewer.firstFrame();
      expect(controller.received[0]).toBe(ready);
      expect(ready.params).toMatchObject({
        session_id: loan.session.session_id,
        ...viewer.size,
        expires_at: loan.session.expires_at,
      });
      expect(ready.params.capabilities).toEqual(expect.arrayContaining(['tap', 'key', 'text', 'screenshot']));
    });

    test('changes the screen on a swipe and a tap', async () => {
      await using loan = await borrowConnected(target.api);
      await using viewer = await watch(loan);
      await using controller = await control(loan);
      let count = await viewer.still();
      expect(await controller.call('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2, ms: 200 })).toBeNull();
      await viewer.movedSince(count);
      count = await viewer.still();
      const { bounds } = await until('an icon or a button', async () => {
        const { root } = await controller.call('ui.tree');
        return flatten(root).find(({ role }) => role === 'icon' || role === 'button');
      });
      const { x, y, width, height } = bounds;
      expect(await controller.call('tap', { x: x + width / 2, y: y + height / 2 })).toBeNull();
      await viewer.movedSince(count);
    });

    test('forwards scrcpy messages', async () => {
      await using loan = await borrowConnected(target.api);
      await using viewer = await watch(loan);
      await using controller = await control(loan);
      const count = await viewer.still();
      controller.send(touchMessage(0, { x: 0.5, y: 0.8 }, viewer.size));
      for (let y = 0.75; y > 0.2; y -= 0.05) controller.send(touchMessage(2, { x: 0.5, y }, viewer.size));
      controller.send(touchMessage(1, { x: 0.5, y: 0.2 }, viewer.size));
      await viewer.movedSince(count);
      const turned = viewer.messages.length;
      controller.send(Buffer.from([11])); // ROTATE_DEVICE
      await controller.notified('device.rotated');
      await viewer.movedSince(turned);
    });

    test('answers malformed binary messages, and closes with 1007 after too many', async () => {
      await using loan = await borrowConnected(target.api);
      await using controller = await control(loan);
      for (const bytes of [
        Buffer.alloc(0),
        Buffer.from([255]),
        Buffer.from([2, 0, 0]),
        Buffer.alloc(33, 2),
      ]) {
        const before = controller.received.length;
        controller.send(bytes);
        const answer = await until('an error response', () => controller.received[before]);
        expect(answer).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32602 } });
      }
      await controller.call('key', { key: 'HOME' });
      for (let index = 0; index < 50; index++) controller.send(Buffer.from([255, index]));
      expect((await within('the socket to be closed', controller.closed)).code).toBe(1007);
    });

    test('closes with 1009 on an oversized message', async () => {
      await using loan = await borrowConnected(target.api);
      await using controller = await control(loan);
      controller.send('x'.repeat(1_000_000));
      expect((await within('the socket to be closed', controller.closed)).code).toBe(1009);
    });

    test('closes an older client with 4009 when a newer client takes over', async () => {
      await using loan = await borrowConnected(target.api);
      await using older = await control(loan);
      await using newer = await control(loan);
      const { code, reason } = await within('the older client to be closed', older.closed);
      expect(code).toBe(4009);
      expect(reason).toMatch(/\S/);
      await newer.call('key', { key: 'HOME' });
    });
  });

  describe('JSON-RPC', () => {
    const withController = async (run: (controller: Controller) => Promise<void>) => {
      await using loan = await borrowConnected(target.api);
      await using controller = await control(loan);
      await run(controller);
    };
    const errorFor = async (controller: Controller, message: string | object) => {
      const before = controller.received.length;
      controller.send(message);
      return until('a response', () => controller.received[before]);
    };

    test('answers invalid requests with the standard’s codes and names the field', () =>
      withController(async (controller) => {
        const request = (method: unknown, params?: unknown) => ({ jsonrpc: '2.0', id: 'a', method, params });
        const cases: [string | object, string | null, number, RegExp][] = [
          ['{', null, -32700, /JSON/],
          ['[]', null, -32600, /batch/],
          ['5', null, -32600, /object/],
          [{ id: 1, method: 'tap' }, null, -32600, /jsonrpc/],
          [{ jsonrpc: '2.0', id: 1 }, null, -32600, /method/],
          [{ jsonrpc: '2.0', id: {}, method: 'tap' }, null, -32600, /id/],
          [request('fly'), 'a', -32601, /fly/],
          [request('toString'), 'a', -32601, /toString/],
          [request('tap'), 'a', -32602, /x/],
          [request('tap', { x: 0.5 }), 'a', -32602, /y/],
          [request('tap', { x: 2, y: 0.5 }), 'a', -32602, /x/],
          [request('tap', { x: '0.5', y: 0.5 }), 'a', -32602, /x/],
          [request('tap', { x: 0.5, y: 0.5, z: 1 }), 'a', -32602, /z/],
          [request('tap', [0.5, 0.5]), 'a', -32602, /object/],
          [request('key', { key: 'home key' }), 'a', -32602, /key/],
          [request('key', { key: 'NO_SUCH_KEY' }), 'a', -32002, /NO_SUCH_KEY/],
          [request('swipe', { x1: 0, y1: 0, x2: 1, y2: 1, ms: 0.5 }), 'a', -32602, /ms/],
        ];
        for (const [message, id, code, text] of cases) {
          const answer = await errorFor(controller, message);
          expect(answer, JSON.stringify(message)).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
          expect(JSON.stringify(answer)).toMatch(text);
        }
      }));

    test('answers a batch with a batch that omits its notifications', () =>
      withController(async (controller) => {
        const answer = await errorFor(controller, [
          { jsonrpc: '2.0', id: 1, method: 'key', params: { key: 'HOME' } },
          { jsonrpc: '2.0', method: 'key', params: { key: 'HOME' } },
          { jsonrpc: '2.0', id: 'two', method: 'fly' },
          5,
        ]);
        expect(answer).toEqual([
          { jsonrpc: '2.0', id: 1, result: null },
          { jsonrpc: '2.0', id: 'two', error: { code: -32601, message: expect.any(String) } },
          { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
        ]);
      }));

    test('does not answer notifications, not even invalid ones', () =>
      withController(async (controller) => {
        controller.send({ jsonrpc: '2.0', method: 'key', params: { key: 'HOME' } });
        controller.send({ jsonrpc: '2.0', method: 'fly' });
        controller.send({ jsonrpc: '2.0', method: 'tap', params: {} });
        controller.send([{ jsonrpc: '2.0', method: 'fly' }]);
        await controller.call('key', { key: 'HOME' });
        const answers = controller.received.filter((message) => Array.isArray(message) || !message.method);
        expect(answers).toHaveLength(1);
      }));

    test('processes requests in order', () =>
      withController(async (controller) => {
        const ids = Array.from({ length: 30 }, (_, index) => 1000 + index);
        for (const id of ids) {
          controller.send({ jsonrpc: '2.0', id, method: 'clipboard.set', params: { text: `text ${id}` } });
        }
        expect(await controller.call('clipboard.get')).toEqual({ text: `text ${ids.at(-1)}` });
      }));
  });

  describe('control methods', () => {
    test('type text, press keys and access the clipboard', async () => {
      await using loan = await borrowConnected(target.api);
      await using viewer = await watch(loan);
      await using controller = await control(loan);
      const text = 'Grüße, 世界 👋🏽';
      expect(await controller.call('clipboard.set', { text })).toBeNull();
      expect(await controller.call('clipboard.get')).toEqual({ text });
      expect(await controller.call('text', { text: 'hello' })).toBeNull();
      const count = await viewer.still();
      expect(await controller.call('power', { on: false })).toBeNull();
      await viewer.movedSince(count);
      expect(await controller.call('power', { on: true })).toBeNull();
      for (const key of ['BACK', 'HOME', 'APP_SWITCH', 'VOLUME_UP', 'ENTER']) {
        expect(await controller.call('key', { key })).toBeNull();
      }
    });

    test('rotate the phone and report the new size on both sockets', async () => {
      await using loan = await borrowConnected(target.api);
      await using viewer = await watch(loan);
      await using controller = await control(loan);
      const { width, height } = viewer.size;
      const sizes = () => viewer.packets.filter(({ type }) => type === 'session').length;
      const before = sizes();
      expect(await controller.call('rotate', { orientation: 'landscape' })).toBeNull();
      const { params } = await controller.notified('device.rotated');
      expect(params).toEqual({ width: height, height: width });
      await until('the stream to report its new size', () => sizes() > before);
      expect(viewer.size).toEqual({ width: height, height: width });
      const types = viewer.packets.map(({ type }) => type);
      const at = types.lastIndexOf('session');
      await until('a keyframe of the new size', () => viewer.packets.length > at + 2);
      expect(viewer.packets.slice(at, at + 3).map(({ type }) => type)).toEqual([
        'session',
        'config',
        'keyframe',
      ]);
    });

    test('return the UI tree in fractions of the screen', async () => {
      await using loan = await borrowConnected(target.api);
      await using controller = await control(loan);
      const { root } = await controller.call('ui.tree');
      const nodes = flatten(root);
      expect(nodes.length).toBeGreaterThan(3);
      expect(root.bounds).toEqual({ x: 0, y: 0, width: 1, height: 1 });
      for (const { role, bounds } of nodes) {
        expect(role).toMatch(/\S/);
        for (const value of Object.values(bounds)) expect(Number.isFinite(value)).toBe(true);
      }
    });

    test('return a screenshot as a PNG of the video’s size', async () => {
      await using loan = await borrowConnected(target.api);
      await using viewer = await watch(loan);
      await using controller = await control(loan);
      const png = Buffer.from((await controller.call('screenshot')).png, 'base64');
      expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
      expect(png.readUInt32BE(16) / png.readUInt32BE(20)).toBeCloseTo(
        viewer.size.width / viewer.size.height,
        2,
      );
    });

    test('list, start and stop apps', async () => {
      await using loan = await borrowConnected(target.api);
      await using viewer = await watch(loan);
      await using controller = await control(loan);
      const { apps } = await controller.call('app.list');
      expect(apps[0]).toEqual({
        package: expect.any(String),
        label: expect.any(String),
        system: expect.any(Boolean),
      });
      const count = await viewer.still();
      expect(await controller.call('app.launch', { package: apps[0].package })).toBeNull();
      await viewer.movedSince(count);
      expect(await controller.call('app.stop', { package: apps[0].package })).toBeNull();
      expect(await controller.call('app.clear', { package: apps[0].package })).toBeNull();
      const { error } = await controller.request('app.launch', { package: 'no.such.app' });
      expect(error).toMatchObject({ code: -32002, message: expect.stringContaining('no.such.app') });
    });

    test('answer -32001 if the phone does not support them', async () => {
      await using loan = await borrowConnected(target.api);
      await using controller = await control(loan);
      const { capabilities } = (await controller.notified('session.ready')).params;
      const trials: [string, object][] = [
        ['shell', { command: 'id' }],
        ['app.uninstall', { package: 'no.such.app' }],
      ];
      for (const [method, params] of trials) {
        const { error } = await controller.request(method, params);
        expect(error?.code).toBe(capabilities.includes(method) ? -32002 : -32001);
      }
    });

    test('extend the session and report the new end', async () => {
      await using loan = await borrowConnected(target.api, { duration: 5 });
      await using controller = await control(loan);
      const result = await controller.call('session.extend', { duration: 10 });
      expect(Date.parse(result.expires_at) - Date.parse(loan.session.expires_at)).toBe(600_000);
      expect(result.minutes_reserved).toBe(15);
      const path = `/sessions/${loan.session.session_id}`;
      expect(succeeded(await target.api.get<Session>(path)).expires_at).toBe(result.expires_at);
      const { error } = await controller.request('session.extend', { duration: 0 });
      expect(error).toMatchObject({ code: -32602 });
      expect(JSON.stringify(error)).toContain('duration');
      await controller.notified('session.extended', ({ expires_at }) => expires_at === result.expires_at);
    });
  });
}
