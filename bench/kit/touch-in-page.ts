/** From a press of the mouse in the console to the picture that answers it, with what happens between told apart. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';

/** A screen that has not changed for this long is still: what is drawn after the next press is its answer. */
const STILL_MS = 300;
const PRESS_MS = 150;
const ANSWER_DEADLINE_MS = 5_000;

/** When the steps of one press were taken, by the page's clock, in ms. */
interface Marks {
  /** The browser got the press. */
  pressed: number;
  /** It was handed to the control socket. */
  sent: number;
  /** The first packet after it came from the stream socket. */
  received: number;
  /** It came out of the decoder. */
  decoded: number;
  /** It was drawn on the canvas. */
  drawn: number;
  /** The frame of the display that holds it was made. */
  framed: number;
}

/** Milliseconds of each part of one press's way. */
export interface TouchParts {
  toSocket: number;
  toPacket: number;
  toDecoded: number;
  toDrawn: number;
  toFrame: number;
  /** From the socket to the canvas: what the console's statistics say. */
  touchToPicture: number;
  whole: number;
}

/** Has the pages that are opened from now on tell when each step was taken. */
export async function watchTouches(page: Page): Promise<void> {
  await page.addInitScript(markSteps);
}

/** In the page, before anything else of it: puts itself between the console and what it calls. */
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
    // A message that is sent in a frame comes when it was made.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => mark('framed');
    requestAnimationFrame(() => port2.postMessage(null));
  } as typeof draw;
}

/** Presses so many times, each on another place of a still screen. */
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
  touchToPicture: drawn - sent,
  whole: framed - pressed,
});
