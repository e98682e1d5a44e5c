import type { PhoneSession } from '../client/phone-session.ts';
import type { UiNode } from '../contract/sockets/control-methods.ts';
import { ToolError } from './error-messages.ts';
import { PhoneLog } from './phone-log.ts';
import {
  describeScreen,
  middleOf,
  nameOf,
  type Reading,
  readScreen,
  type ScreenElement,
} from './screen-reading.ts';

/**
 * A reading older than this is refreshed before use even if no command was sent since, because the screen may change
 * by itself.
 */
const FRESH_MS = 2_000;

export interface Place {
  x: number;
  y: number;
  /** Description for the tool's answer: `e4 button "Search"`, or the coordinates. */
  what: string;
}

/** A phone that an AI agent has borrowed, and the last reading of its screen. */
export class HeldPhone {
  readonly session: PhoneSession;
  readonly name: string;
  /** The session was started by another client, and it continues when the AI agent disconnects. */
  readonly isShared: boolean;
  readonly log: PhoneLog;
  #reading: Reading | null = null;
  /** The last description of the whole screen that the model received. */
  #described = '';
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(session: PhoneSession, name: string, isShared: boolean) {
    this.session = session;
    this.name = name;
    this.isShared = isShared;
    this.log = new PhoneLog(session);
  }

  /** Name and session id of the phone, for the tool's answer. */
  get title(): string {
    return `${this.name} (${this.session.id})`;
  }

  get minutesLeft(): number {
    return Math.max(0, Math.floor((Date.parse(this.session.expiresAt) - Date.now()) / 60_000));
  }

  async readTree(signal: AbortSignal): Promise<UiNode> {
    return this.session.uiTree({ signal });
  }

  async read(signal: AbortSignal, withKeys = this.#reading?.withKeys ?? false): Promise<Reading> {
    return this.accept(await this.readTree(signal), withKeys);
  }

  /** Makes a tree that was read just now the current reading. */
  accept(tree: UiNode, withKeys = false): Reading {
    this.#reading = readScreen(tree, this.#reading, withKeys);
    this.#readAt = performance.now();
    return this.#reading;
  }

  /** Describes the whole screen for the model. Returns null if that is what the model received last. */
  describe(reading: Reading, maxChars: number): string | null {
    const text = describeScreen(reading, maxChars);
    if (text !== '' && text === this.#described) return null;
    this.#described = text;
    return text;
  }

  /** Invalidates the last reading. Called before a command that may change the screen. */
  touched(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Returns the current position of an element, or the given coordinates.
   * @throws ToolError unless exactly one of the two is given, and if the element is no longer on the screen
   */
  async placeOf(place: { element?: string; x?: number; y?: number }, signal: AbortSignal): Promise<Place> {
    const { element, x, y } = place;
    if (element === undefined) {
      if (x === undefined || y === undefined)
        throw new ToolError('Pass `element` (an id from read_screen), or both `x` and `y`.');
      return { x, y, what: `(${x}, ${y})` };
    }
    if (x !== undefined || y !== undefined)
      throw new ToolError('Pass either `element`, or `x` and `y`, not both.');
    const found = await this.find(element, signal);
    return { ...middleOf(found.node), what: nameOf(found) };
  }

  /** @throws ToolError when the element is no longer on the screen */
  async find(id: string, signal: AbortSignal): Promise<ScreenElement> {
    if (!this.#reading)
      throw new ToolError('No element ids are available yet. Call read_screen first to get them.');
    if (this.#reading.elements.has(id) && performance.now() - this.#readAt > FRESH_MS)
      await this.read(signal);
    const found = this.#reading.elements.get(id);
    if (found) return found;
    throw new ToolError(
      `Element ${JSON.stringify(id.slice(0, 20))} is no longer on the screen. Call read_screen again and ` +
        'use an id from it.',
    );
  }
}
