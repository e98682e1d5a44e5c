import type { Conditions } from '../../contract/sockets/conditions.ts';
import type { UiNode } from '../../contract/sockets/control-methods.ts';
import { PHONE_MODELS } from './models.ts';
import { SimulatedDevice } from './simulated-device.ts';
import type { Clock } from './ui/clock.ts';
import { registerFonts } from './ui/fonts.ts';
import type { Point, Size } from './ui/geometry.ts';

const FRAME_MS = 16;

/** A simulated phone whose clock only advances when a test advances it. */
export class TestPhone {
  readonly device: SimulatedDevice;
  readonly clipboardChanges: string[] = [];
  readonly conditionChanges: Conditions[] = [];
  readonly rotations: Size[] = [];
  readonly log: string[] = [];
  frameRequests = 0;
  #now = 0;
  readonly #start: Date;
  #timers: { at: number; callback: () => void }[] = [];

  constructor(start = new Date(2026, 4, 14, 10, 8, 30)) {
    registerFonts();
    this.#start = start;
    const model = PHONE_MODELS[0];
    if (!model) throw new Error('the list of models is empty');
    this.device = new SimulatedDevice(model, this.#clock(), {
      needsFrame: () => this.frameRequests++,
      rotated: (size) => this.rotations.push(size),
      clipboardChanged: (text) => this.clipboardChanges.push(text),
      conditionsChanged: (conditions) => this.conditionChanges.push(conditions),
      log: (level, tag, message) => this.log.push(`${level} ${tag}: ${message}`),
    });
  }

  /** Returns a phone that is awake and unlocked and shows the home screen. */
  static unlocked(): TestPhone {
    const phone = new TestPhone();
    phone.device.setPower(true);
    phone.swipe({ x: 0.5, y: 0.8 }, { x: 0.5, y: 0.4 });
    phone.advance(500);
    return phone;
  }

  /** Advances the clock, painting a frame at each frame interval. */
  advance(ms: number): void {
    const end = this.#now + ms;
    while (this.#now < end) {
      this.#now = Math.min(end, this.#now + FRAME_MS);
      const due = this.#timers.filter(({ at }) => at <= this.#now);
      this.#timers = this.#timers.filter(({ at }) => at > this.#now);
      for (const { callback } of due) callback();
      this.device.paint();
    }
  }

  get timers(): number {
    return this.#timers.length;
  }

  tap(at: Point, ms = 40): void {
    this.device.touch({ action: 'down', pointer: 'test', at, pressure: 1 });
    this.advance(ms);
    this.device.touch({ action: 'up', pointer: 'test', at, pressure: 0 });
    this.advance(400);
  }

  tapOn(id: string, ms?: number): void {
    const { x, y, width, height } = this.node(id).bounds;
    this.tap({ x: x + width / 2, y: y + height / 2 }, ms);
  }

  swipe(from: Point, to: Point, ms = 160): void {
    const touch = (action: 'down' | 'move' | 'up', at: Point) =>
      this.device.touch({ action, pointer: 'test', at, pressure: 1 });
    touch('down', from);
    for (let passed = FRAME_MS; passed <= ms; passed += FRAME_MS) {
      this.advance(FRAME_MS);
      const share = passed / ms;
      touch('move', { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share });
    }
    touch('up', to);
  }

  find(id: string, node: UiNode = this.device.uiTree()): UiNode | undefined {
    if (node.id === id) return node;
    for (const child of node.children ?? []) {
      const found = this.find(id, child);
      if (found) return found;
    }
    return undefined;
  }

  node(id: string): UiNode {
    const found = this.find(id);
    if (!found) throw new Error(`${id} is not on the screen: ${JSON.stringify(this.device.uiTree())}`);
    return found;
  }

  /** The colour of the screen at a point, as #rrggbb. */
  pixel(at: Point): string {
    this.device.paint();
    const { width, height, pixels } = this.device.screen;
    const offset = (Math.floor(at.y * height) * width + Math.floor(at.x * width)) * 4;
    return `#${Buffer.from(pixels.subarray(offset, offset + 3)).toString('hex')}`;
  }

  #clock(): Clock {
    return {
      now: () => this.#now,
      date: () => new Date(this.#start.getTime() + this.#now),
      after: (ms, callback) => {
        const timer = { at: this.#now + ms, callback };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
    };
  }
}
