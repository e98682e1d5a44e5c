import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StreamHandlers } from '../../../client/stream-socket.ts';
import { type PlayerParts, ScreenPlayer } from './screen-player.ts';
import type { ScreenState } from './screen-state.ts';
import type { DecoderEvents } from './stream-decoder.ts';

const sockets: StreamHandlers[] = [];
const decoders: DecoderEvents[] = [];

const parts: PlayerParts = {
  openStream: (_url, handlers) => {
    sockets.push(handlers);
    return { close() {} };
  },
  createDecoder: async (_kind, _canvas, events) => {
    decoders.push(events);
    return { push() {}, resize() {}, dispose() {}, waiting: 0, droppedGroups: 0 };
  },
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  sockets.length = 0;
  decoders.length = 0;
});

const SIZE = { width: 1080, height: 2400 };
const states: ScreenState[] = [];

async function open(): Promise<ScreenPlayer> {
  const onState = (state: ScreenState) => states.push(state);
  const player = new ScreenPlayer({} as HTMLCanvasElement, 'wss://localhost/stream', onState, parts);
  await vi.advanceTimersByTimeAsync(0);
  sockets[0]!.onPacket({ type: 'session', ...SIZE } as Parameters<StreamHandlers['onPacket']>[0]);
  return player;
}

test('reconnects if no frame arrives', async () => {
  const player = await open();
  await vi.advanceTimersByTimeAsync(14_000);
  expect(sockets).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(sockets).toHaveLength(2);
  player.dispose();
});

test('keeps a connection that has delivered a frame, even if the screen does not change', async () => {
  const player = await open();
  decoders[0]!.onFrame(SIZE);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(sockets).toHaveLength(1);
  expect(states.at(-1)).toMatchObject({ phase: 'live', size: SIZE });
  player.dispose();
});
