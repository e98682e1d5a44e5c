/**
 * Measures the time from a mouse press in the console to the resulting frame, with each step in between measured
 * separately.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';

/**
 * A screen that has not changed for this long is unchanging: what is drawn after the next press results from that
 * press.
 */
const STILL_MS = 300;
const PRESS_MS = 150;
const ANSWER_DEADLINE_MS = 5_000;

/** Times of the steps of one press, in milliseconds of the page's clock. */
interface Marks {
  /** The browser received the press. */
  pressed: number;
  /** The command was passed to the control socket. */
  sent: number;
  /** The stream socket delivered the first packet after the press. */
  received: number;
  /** The decoder returned the frame. */
  decoded: number;
  /** The frame was drawn on the canvas. */
  drawn: number;
  /** The browser produced the display frame that contains it. */
  framed: number;
}

/** Duration of each step of one press, in milliseconds. */
export interface TouchParts {
  toSocket: number;
  toPacket: number;
  toDecoded: number;
  toDrawn: number;
  toFrame: number;
  /** From the control socket to the canvas, as the console's statistics show it. */
  touchToFrame: number;
  whole: number;
}

/** Instruments the pages that are opened from now on, so that they record the time of each step. */
export async function watchTouches(page: Page): Promise<void> {
  await page.addInitScript(markSteps);
}

/** Runs in the page before any of its own code: wraps the browser functions that the console calls. */
function markSteps(): void {
  let marks: Partial<Marks> = {};
  const mark = (step: keyof Marks) => {
    if (marks.pressed !== undefined && marks[step] === undefined) marks[step] = performance.now();
  };
  addEventListener(
    'pointerdown',
    ({ timeStamp }) => {
      marks = { pressed: timeStamp };
      Object.assign(globalThis, { touchMarks: marks });
    },
    { capture: true },
  );
  const OwnSocket = WebSocket;
  globalThis.WebSocket = class extends OwnSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      if (!String(url).includes('/stream/')) return;
      this.addEventListener('message', () => marks.sent !== undefined && mark('received'));
    }
    override send(data: Parameters<WebSocket['send']>[0]): void {
      if (typeof data === 'string' && data.includes('"down"')) mark('sent');
      super.send(data);
    }
  };
  const OwnDecoder = VideoDecoder;
  globalThis.VideoDecoder = class extends OwnDecoder {
    constructor({ output, error }: VideoDecoderInit) {
      super({
        error,
        output: (frame) => {
          if (marks.received !== undefined) mark('decoded');
          output(frame);
        },
      });
    }
  };
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (
    this: CanvasRenderingContext2D,
    ...drawn: unknown[]
  ) {
    Reflect.apply(draw, this, drawn);
    if (marks.decoded === undefined || !(drawn[0] instanceof VideoFrame) || marks.drawn !== undefined) return;
    mark('drawn');
    // A message posted in an animation frame callback is delivered after that frame was produced.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => mark('framed');
    requestAnimationFrame(() => port2.postMessage(null));
  } as typeof draw;
}

/** Presses `presses` times, each time at a different place of an unchanging screen. */
export async function pressInPage(page: Page, presses: number): Promise<TouchParts[]> {
  const box = await page.locator('canvas[aria-label^="Screen of"]').boundingBox();
  if (!box) throw new Error('the console shows no phone');
  const parts: TouchParts[] = [];
  for (let n = 0; n < presses; n++) {
    await page.mouse.move(
      box.x + box.width * (0.2 + 0.06 * (n % 10)),
      box.y + box.height * (0.3 + 0.04 * Math.floor(n / 10)),
    );
    await delay(STILL_MS);
    await page.mouse.down();
    const marks = await page.waitForFunction(
      () => {
        const { touchMarks } = globalThis as unknown as { touchMarks: Partial<Marks> };
        return touchMarks?.framed !== undefined && (touchMarks as Marks);
      },
      undefined,
      { timeout: ANSWER_DEADLINE_MS },
    );
    parts.push(partsOf((await marks.jsonValue()) as Marks));
    await delay(PRESS_MS);
    await page.mouse.up();
  }
  return parts;
}

const partsOf = ({ pressed, sent, received, decoded, drawn, framed }: Marks): TouchParts => ({
  toSocket: sent - pressed,
  toPacket: received - sent,
  toDecoded: decoded - received,
  toDrawn: drawn - decoded,
  toFrame: framed - drawn,
  touchToFrame: drawn - sent,
  whole: framed - pressed,
});
