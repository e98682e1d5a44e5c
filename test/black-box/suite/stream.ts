import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { promised } from '../../nightly.ts';
import { succeeded } from '../kit/api.ts';
import { type BorrowRequest, borrow, borrowConnected } from '../kit/borrow.ts';
import { Controller } from '../kit/controller.ts';
import { sendHttp } from '../kit/http.ts';
import { refusedUpgrade } from '../kit/socket.ts';
import type { Target } from '../kit/target.ts';
import { type Packet, Viewer } from '../kit/viewer.ts';
import { until, within } from '../kit/wait.ts';

/** The NAL unit types of an access unit in Annex B (ITU-T H.264, table 7-1). */
function nalTypes(data: Buffer): number[] {
  const types: number[] = [];
  for (let at = data.indexOf('000001', 0, 'hex'); at >= 0; at = data.indexOf('000001', at + 3, 'hex')) {
    types.push(data[at + 3]! & 0x1f);
  }
  return types;
}

const SPS = 7;
const PPS = 8;
const IDR = 5;

/** The stream socket: scrcpy's video packets over WebSocket. */
export function streamSuite(target: Target): void {
  const watch = (loan: BorrowRequest, protocol?: string) =>
    Viewer.open(loan.session.stream_url, { ...target, protocol });
  const control = (loan: BorrowRequest) => Controller.ready(loan.session.control_url, target);

  describe('the video stream', () => {
    test('sends the codec, the size, the config and a keyframe', async () => {
      await using loan = await borrow(target.api);
      await using viewer = await watch(loan);
      await viewer.firstFrame();
      expect(viewer.socket.protocol).toBe('');
      expect(viewer.messages[0]!.toString('latin1')).toBe('h264');
      const [size, config, keyframe] = viewer.packets as [
        Extract<Packet, { type: 'session' }>,
        Extract<Packet, { data: Buffer }>,
        Extract<Packet, { data: Buffer }>,
      ];
      expect([size.type, config.type, keyframe.type]).toEqual(['session', 'config', 'keyframe']);
      expect([size.width % 2, size.height % 2]).toEqual([0, 0]);
      const [width, height] = loan.device.resolution.split('x').map(Number);
      expect(size.width / size.height).toBeCloseTo(width! / height!, 1);
      expect(nalTypes(config.data)).toEqual([SPS, PPS]);
      expect(nalTypes(keyframe.data).filter((type) => type <= IDR)).toContain(IDR);
    });

    test('sends a frame to a late joiner immediately, even if the screen does not change', async () => {
      await using loan = await borrowConnected(target.api);
      await using first = await watch(loan);
      await first.firstFrame();
      await first.still();
      const before = performance.now();
      await using late = await watch(loan);
      await late.firstFrame();
      expect(performance.now() - before).toBeLessThan(promised(3_000));
      expect(late.packets.slice(0, 3).map(({ type }) => type)).toEqual(['session', 'config', 'keyframe']);
    });

    test('sends the same packets to several viewers', async () => {
      await using loan = await borrowConnected(target.api);
      await using one = await watch(loan);
      await using two = await watch(loan);
      await using three = await watch(loan);
      const viewers = [one, two, three];
      await Promise.all(viewers.map((viewer) => viewer.firstFrame()));
      const counts = await Promise.all(viewers.map((viewer) => viewer.still()));
      await using controller = await control(loan);
      await controller.call('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2 });
      await Promise.all(viewers.map((viewer, index) => viewer.movedSince(counts[index]!)));
      await Promise.all(viewers.map((viewer) => viewer.still()));
      // The phone's clock may change at this moment, and one viewer may receive the change before the others.
      await until('all viewers to receive the same packets', () => {
        const [first, ...others] = viewers.map((viewer) => viewer.messages.at(-1)!);
        return others.every((other) => other.equals(first!));
      });
    });

    test('has increasing timestamps', async () => {
      await using loan = await borrowConnected(target.api);
      await using viewer = await watch(loan);
      await viewer.firstFrame();
      await using controller = await control(loan);
      const shown = await viewer.still();
      await controller.call('swipe', { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2 });
      await viewer.movedSince(shown);
      await viewer.still();
      const times = viewer.packets.flatMap((packet) =>
        packet.type === 'keyframe' || packet.type === 'delta' ? [packet.pts] : [],
      );
      expect(times.length).toBeGreaterThan(1);
      expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : 1)));
    });

    test('uses the layout that the client requests, v4 or v3, byte for byte', async () => {
      await using loan = await borrowConnected(target.api);
      await using newer = await watch(loan, 'scrcpy.v4');
      await using older = await watch(loan, 'scrcpy.v3');
      await newer.firstFrame();
      await newer.still();
      await until('the older layout', () => older.messages.length >= 3);
      expect([newer.socket.protocol, older.socket.protocol]).toEqual(['scrcpy.v4', 'scrcpy.v3']);
      const { width, height } = newer.size;
      const preamble = Buffer.alloc(12);
      preamble.write('h264', 'latin1');
      preamble.writeUInt32BE(width, 4);
      preamble.writeUInt32BE(height, 8);
      expect(older.messages[0]!.equals(preamble)).toBe(true);
      const config = newer.packets.find(({ type }) => type === 'config') as Extract<Packet, { data: Buffer }>;
      expect(older.messages[1]!.subarray(0, 12).toString('hex')).toBe(
        `8000000000000000${config.data.length.toString(16).padStart(8, '0')}`,
      );
      expect(older.messages[1]!.subarray(12).equals(config.data)).toBe(true);
      const keyframe = older.messages[2]!;
      expect(keyframe[0]! & 0xe0).toBe(0x40);
      expect(keyframe.readUInt32BE(8)).toBe(keyframe.length - 12);
      const twin = await until('the same keyframe', () =>
        newer.packets.find((p) => 'data' in p && p.data.equals(keyframe.subarray(12))),
      );
      expect(twin).toMatchObject({
        type: 'keyframe',
        pts: keyframe.readBigUInt64BE(0) & 0x1fffffffffffffffn,
      });
    });

    test('closes only the viewer that sends a message', async () => {
      await using loan = await borrowConnected(target.api);
      await using textSender = await watch(loan);
      await using other = await watch(loan);
      await Promise.all([textSender.firstFrame(), other.firstFrame()]);
      textSender.socket.send('hello');
      expect(
        (await within('the viewer that sends a text message to be closed', textSender.closed)).code,
      ).toBe(1008);
      await using bytesSender = await watch(loan);
      bytesSender.socket.send(Buffer.alloc(100_000));
      expect(
        (await within('the viewer that sends an oversized message to be closed', bytesSender.closed)).code,
      ).toBe(1009);
      expect(other.socket.readyState).toBe(other.socket.OPEN);
    });

    test('continues for other viewers when one viewer reads nothing', async () => {
      await using loan = await borrowConnected(target.api);
      await using slow = await watch(loan);
      await using quick = await watch(loan);
      await Promise.all([slow.firstFrame(), quick.firstFrame()]);
      slow.socket.pause();
      await using controller = await control(loan);
      for (let turn = 0; turn < 5; turn++) {
        const count = quick.messages.length;
        await controller.call('rotate');
        await until('the video to be rotated', () =>
          quick.messages.slice(count).some((bytes) => bytes[0]! & 0x80),
        );
        await quick.movedSince(count);
      }
      slow.socket.resume();
      await until('the slow viewer to receive a rotated frame', () =>
        isDeepStrictEqual(slow.size, quick.size),
      );
    });
  });

  describe('access to a socket', () => {
    test.each(['stream', 'control'] as const)(
      '%s: is denied with another token, session or purpose',
      async (purpose) => {
        await using loan = await borrow(target.api);
        await using other = await borrow(target.api);
        const [own, their] = [loan, other].map(({ session }) => session[`${purpose}_url`]) as [
          string,
          string,
        ];
        const id = loan.session.session_id;
        const { origin, pathname } = new URL(own);
        const token = pathname.split('/')[2]!;
        const wrong = `${token[0] === 'A' ? 'B' : 'A'}${token.slice(1)}`;
        const crossed = new URL(
          loan.session[purpose === 'stream' ? 'control_url' : 'stream_url'],
        ).pathname.split('/')[2];
        const expectations: [string, number, number][] = [
          [`${origin}/${purpose}/${wrong}/${id}`, 401, 40001],
          [`${origin}/${purpose}/${token.slice(0, -1)}/${id}`, 401, 40001],
          [`${origin}/${purpose}/${new URL(their).pathname.split('/')[2]}/${id}`, 401, 40001],
          [`${origin}/${purpose}/${crossed}/${id}`, 401, 40001],
          [`${origin}/${purpose}/${token}/${other.session.session_id}`, 401, 40001],
          [`${origin}/${purpose}/${token}/ses_AAAAAAAAAAAAAAAAAAAAAA`, 404, 40005],
          [`${origin}/${purpose}/${token}`, 404, 40007],
          [`${origin}/${purpose}/${id}`, 404, 40007],
          [`${own}/more`, 404, 40007],
        ];
        for (const [url, status, code] of expectations) {
          const { status: got, body } = await refusedUpgrade(url, target);
          expect({ url, status: got, code: body.code }).toEqual({ url, status, code });
          expect(Object.keys(body).sort()).toEqual(['code', 'data', 'message']);
        }
      },
    );

    test.each(['stream', 'control'] as const)(
      '%s: is denied after the session has ended',
      async (purpose) => {
        const loan = await borrow(target.api);
        await loan[Symbol.asyncDispose]();
        const { status, body } = await refusedUpgrade(loan.session[`${purpose}_url`], target);
        expect([status, body.code]).toEqual([410, 40013]);
      },
    );

    test.each(['stream', 'control', 'adb'] as const)(
      '%s: a request without Upgrade is answered with 426',
      async (purpose) => {
        await using loan = await borrow(target.api);
        const url = loan.session[`${purpose}_url`].replace(/^ws/, 'http');
        const { status, bytes } = await sendHttp({ method: 'GET', url, headers: {}, ca: target.ca });
        expect([status, JSON.parse(bytes.toString()).code]).toEqual([426, 40017]);
      },
    );

    test('is denied with an unknown subprotocol', async () => {
      await using loan = await borrow(target.api);
      const { status } = await refusedUpgrade(loan.session.stream_url, { ...target, protocol: 'scrcpy.v9' });
      expect(status).toBe(400);
    });

    test('requires no other authentication and no particular origin', async () => {
      await using loan = await borrow(target.api);
      await using viewer = await Viewer.open(loan.session.stream_url, {
        ...target,
        headers: { origin: 'https://dashboard.example' },
      });
      await viewer.firstFrame();
    });
  });

  test('ends with 1000 and a reason on both sockets after a disconnect', async () => {
    await using loan = await borrowConnected(target.api);
    await using viewer = await watch(loan);
    await using controller = await control(loan);
    await viewer.firstFrame();
    succeeded(await target.api.post(`/sessions/${loan.session.session_id}/disconnect`));
    for (const { closed } of [viewer, controller]) {
      const { code, reason } = await within('the socket to be closed', closed, promised(5_000));
      expect(code).toBe(1000);
      expect(reason).toMatch(/\S/);
    }
    expect(controller.notifications.at(-1)).toMatchObject({
      method: 'session.ended',
      params: { reason: 'client' },
    });
  });
}
