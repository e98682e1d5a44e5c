/**
 * Measures the time from requesting a phone to its first frame, both for a program and for a person in the console.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { packetType } from '../../src/contract/sockets/stream-packets.ts';
import type { Served } from './served.ts';

const FRAME_DEADLINE_MS = 60_000;
const FREE_DEADLINE_MS = 90_000;

/** Times of the steps, in milliseconds since the connect request was sent. */
export interface Steps {
  /** The connect request was answered. */
  connected: number;
  /** The stream socket was open. */
  opened: number;
  /** The first keyframe had been received completely. */
  frame: number;
}

interface Device {
  id: string;
  name: string;
}

export async function ask<T>({ origin, key }: Served, method: string, path: string): Promise<T> {
  const response = await fetch(`${origin}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
  });
  const { code, message, data } = (await response.json()) as { code: number; message: string; data: T };
  if (code !== 0) throw new Error(`${method} ${path} answered ${code}: ${message}`);
  return data;
}

/** Returns an available phone. Waits until there is one, because the previous phone may still be cleaning. */
export async function freeDevice(service: Served): Promise<Device> {
  const deadline = performance.now() + FREE_DEADLINE_MS;
  while (performance.now() < deadline) {
    const { items } = await ask<{ items: Device[] }>(service, 'GET', '/devices?status=available');
    if (items[0]) return items[0];
    await delay(100);
  }
  throw new Error(`no phone became available within ${FREE_DEADLINE_MS / 1000} s`);
}

/** Connects to a phone, waits for its first keyframe and ends the session. */
export async function firstFrame(service: Served): Promise<Steps> {
  const { id } = await freeDevice(service);
  const ca = await readFile(service.caFile);
  const start = performance.now();
  const session = await ask<{ session_id: string; stream_url: string }>(
    service,
    'POST',
    `/devices/${id}/connect`,
  );
  const connected = performance.now() - start;
  const socket = new WebSocket(session.stream_url, { ca, perMessageDeflate: false });
  try {
    return await new Promise<Steps>((resolve, reject) => {
      let opened = Number.NaN;
      const late = new Error(`no frame within ${FRAME_DEADLINE_MS} ms`);
      AbortSignal.timeout(FRAME_DEADLINE_MS).addEventListener('abort', () => reject(late));
      socket.on('open', () => {
        opened = performance.now() - start;
      });
      socket.on('error', reject);
      socket.on('close', (code) => reject(new Error(`the stream was closed with ${code}`)));
      socket.on('message', (packet: Buffer) => {
        // The preamble, "h264", is shorter than any packet.
        if (packet.length < 12 || packetType(packet) !== 'keyframe') return;
        resolve({ connected, opened, frame: performance.now() - start });
      });
    });
  } finally {
    socket.terminate();
    await ask(service, 'POST', `/sessions/${session.session_id}/disconnect`);
  }
}

export async function signIn(page: Page, { origin, key }: Served): Promise<void> {
  await page.goto(origin);
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('article').first().waitFor();
}

/** Milliseconds from the click on Connect in the console to pixels on the phone's canvas. */
export async function firstFrameInPage(page: Page, service: Served): Promise<number> {
  const { name } = await freeDevice(service);
  // Otherwise one click would repeat the previous connect, without the dialog
  await page.evaluate(() => localStorage.removeItem('phonebooth.last-connect'));
  await page.goto(service.origin);
  await page.getByRole('article', { name }).getByRole('button', { name: 'Connect' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Duration').waitFor();
  const painted = page.evaluate(clickToPixels, FRAME_DEADLINE_MS);
  await dialog.getByRole('button', { name: 'Connect' }).click();
  const took = await painted;
  // The service may not know yet that the session is connected, although its video arrives.
  type Session = { session_id: string; status: string };
  const { items } = await ask<{ items: Session[] }>(service, 'GET', '/sessions');
  for (const { session_id, status } of items)
    if (status !== 'disconnected') await ask(service, 'POST', `/sessions/${session_id}/disconnect`);
  return took;
}

/** Runs in the page: waits for a click, then for the first display frame in which the canvas is not black. */
function clickToPixels(deadlineMs: number): Promise<number> {
  const size = 16;
  const pixels = new OffscreenCanvas(size, size).getContext('2d', { willReadFrequently: true })!;
  const isPainted = () => {
    const canvas = document.querySelector<HTMLCanvasElement>('canvas[aria-label^="Screen of"]');
    if (!canvas || canvas.width === 0) return false;
    pixels.drawImage(canvas, 0, 0, size, size);
    return pixels.getImageData(0, 0, size, size).data.some((value, at) => at % 4 !== 3 && value > 0);
  };
  return new Promise((resolve, reject) => {
    const look = (start: number) => {
      const took = performance.now() - start;
      if (isPainted()) resolve(took);
      else if (took > deadlineMs) reject(new Error(`no frame within ${deadlineMs} ms`));
      else requestAnimationFrame(() => look(start));
    };
    document.addEventListener('click', ({ timeStamp }) => look(timeStamp), { capture: true, once: true });
  });
}
