import type { PhoneSession } from '../client/phone-session.ts';
import type { UiNode } from '../contract/control-methods.ts';
import { middleOf, nameOf, type Reading, readScreen, type ScreenElement } from './screen-reading.ts';
import { ToolError } from './words.ts';

/** A reading is trusted for so long when nothing was done on the phone since; the screen may move by itself. */
const FRESH_MS = 2_000;

export interface Place {
  x: number;
  y: number;
  /** For an answer: `e4 button "Search"`, or the coordinates. */
  what: string;
}

/** A phone that an agent holds, and what the agent knows of its screen. */
export class HeldPhone {
  readonly session: PhoneSession;
  readonly name: string;
  /** It was somebody else's before, and stays lent when the agent goes. */
  readonly isShared: boolean;
  #reading: Reading | null = null;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(session: PhoneSession, name: string, isShared: boolean) {
    this.session = session;
    this.name = name;
    this.isShared = isShared;
  }

  /** What to call it in an answer. */
  get title(): string {
    return `${this.name} (${this.session.id})`;
  }

  get minutesLeft(): number {
    return Math.max(0, Math.floor((Date.parse(this.session.expiresAt) - Date.now()) / 60_000));
  }

  async readTree(signal: AbortSignal): Promise<UiNode> {
    return this.session.uiTree({ signal });
  }

  async read(signal: AbortSignal): Promise<Reading> {
    this.#reading = readScreen(await this.readTree(signal), this.#reading);
    this.#readAt = performance.now();
    return this.#reading;
  }

  /** Something is about to be done on it: its screen is not what was read. */
  touched(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Where an element is now, or the coordinates that were given instead.
   * @throws ToolError unless it is exactly one of both, and the element is still there
   */
  async placeOf(place: { element?: string; x?: number; y?: number }, signal: AbortSignal): Promise<Place> {
    const { element, x, y } = place;
    if (element === undefined) {
      if (x === undefined || y === undefined)
        throw new ToolError('Give `element` (an id from read_screen), or both `x` and `y`.');
      return { x, y, what: `(${x}, ${y})` };
    }
    if (x !== undefined || y !== undefined)
      throw new ToolError('Give either `element`, or `x` and `y`, not both.');
    const found = await this.find(element, signal);
    return { ...middleOf(found.node), what: nameOf(found) };
  }

  /** @throws ToolError when it is not on the screen any more */
  async find(id: string, signal: AbortSignal): Promise<ScreenElement> {
    if (!this.#reading)
      throw new ToolError('There is no element yet: ids of elements come from read_screen. Call it first.');
    if (this.#reading.elements.has(id) && performance.now() - this.#readAt > FRESH_MS)
      await this.read(signal);
    const found = this.#reading.elements.get(id);
    if (found) return found;
    throw new ToolError(
      `Element ${JSON.stringify(id.slice(0, 20))} is not on the screen any more. Call read_screen again and use an id from it.`,
    );
  }
}
