import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from '../phone.ts';
import { WebDriverError } from '../protocol/errors.ts';
import { readString } from '../protocol/values.ts';
import { ElementReferences } from '../screen/element-references.ts';
import { descendantsOf, readScreen, type Screen, type ScreenElement, visiblePart } from '../screen/screen.ts';
import { readSettledScreen } from '../screen/settled-screen.ts';
import { sourceOf } from '../screen/source.ts';
import type { LocatorThreads } from './locator-threads.ts';
import type { PlainElement } from './match-selector.ts';
import { parseUiSelector, type UiScrollable, type UiSelector } from './ui-selector.ts';

const MAX_SELECTOR_LENGTH = 8_192;
/** Interval at which the screen is read again while an element is awaited. */
const POLL_MS = 100;

/** A screen, the element below which to search (null: anywhere), and the account that searches. */
interface Place {
  screen: Screen;
  root: ScreenElement | null;
  accountId: string;
}

type Search = (place: Place) => Promise<ScreenElement[]>;

/** Finds elements on the screen of a phone by the strategies of Appium. */
export class Locator {
  private readonly threads: LocatorThreads;

  constructor(threads: LocatorThreads) {
    this.threads = threads;
  }

  /** Waits for an element as long as the session's implicit wait. @returns references; empty if none was found */
  async find(command: Command, rootReference: string | null): Promise<string[]> {
    const { phone, state, signal, sessionId, accountId } = command;
    const using = readString(command.body.using, 'using', 100);
    const value = readString(command.body.value, 'value', MAX_SELECTOR_LENGTH);
    const scrollable = using === '-android uiautomator' ? parseUiSelector(value) : null;
    if (scrollable && 'container' in scrollable) await this.scrollIntoView(command, scrollable);
    const search = this.searchFor(using, value);
    const until = performance.now() + state.implicitMs;
    for (;;) {
      const screen = await readScreen(phone);
      const references = new ElementReferences(screen, sessionId);
      const root = rootReference === null ? null : references.resolve(rootReference);
      const found = await search({ screen, root, accountId });
      const left = until - performance.now();
      if (found.length > 0 || left <= 0) return found.map((element) => references.of(element));
      await delay(Math.min(POLL_MS, left), undefined, { signal });
    }
  }

  private searchFor(using: string, value: string): Search {
    switch (using) {
      case 'xpath':
        return (place) => this.byXPath(place, value);
      case '-android uiautomator': {
        const parsed = parseUiSelector(value);
        const selector = 'container' in parsed ? parsed.target : parsed;
        return (place) => this.bySelector(place, selector);
      }
      case 'css selector':
        return byTest(cssTest(value));
      default: {
        const test = testOf(using, value);
        if (!test)
          throw new WebDriverError(
            'invalid selector',
            `using must be id, accessibility id, class name, xpath or -android uiautomator, not ${using}`,
          );
        return byTest(test);
      }
    }
  }

  private async byXPath({ screen, root, accountId }: Place, expression: string): Promise<ScreenElement[]> {
    const job = { by: 'xpath' as const, source: sourceOf(screen), expression, within: root?.index ?? -1 };
    return this.elementsAt(screen, await this.threads.locate(accountId, job));
  }

  private async bySelector(
    { screen, root, accountId }: Place,
    selector: UiSelector,
  ): Promise<ScreenElement[]> {
    const elements = screen.elements.map(
      ({ attributes, parent }): PlainElement => ({ attributes, parent: parent?.index ?? -1 }),
    );
    const job = { by: 'selector' as const, elements, selector, within: root?.index ?? -1 };
    return this.elementsAt(screen, await this.threads.locate(accountId, job));
  }

  private elementsAt({ elements }: Screen, indexes: number[]): ScreenElement[] {
    return indexes.map((index) => elements[index]!);
  }

  /** Scrolls forward to the end, then back to the beginning, until the target is on the screen, and not under a bar. */
  private async scrollIntoView(command: Command, wanted: UiScrollable): Promise<void> {
    const { phone, accountId } = command;
    let screen = await readScreen(phone);
    let before = '';
    let isForward = true;
    for (let swipes = 0; swipes <= wanted.maxSwipes; swipes += 1) {
      const place = { screen, root: null, accountId };
      const found = await this.bySelector(place, wanted.target);
      if (found.some((element) => !isUnderBar(element, screen))) return;
      const [container] = await this.bySelector(place, wanted.container);
      const area = container && visiblePart(container, screen.size);
      if (!area) return;
      const now = sourceOf(screen);
      if (now === before && !isForward) return;
      if (now === before) isForward = false;
      before = now;
      const { width, height } = screen.size;
      const [low, high] = [area.y + area.height * 0.8, area.y + area.height * 0.2];
      const [y1, y2] = isForward ? [low, high] : [high, low];
      const x = (area.x + area.width / 2) / width;
      await phone.call('swipe', { x1: x, x2: x, y1: y1 / height, y2: y2 / height, ms: 300 });
      screen = await readSettledScreen(command);
    }
  }
}

/** Share of the screen that a bar covers at most, such as the navigation bar. */
const BAR_SHARE = 0.25;

/** Whether a bar covers the middle of the visible part, at which a click taps. */
function isUnderBar(element: ScreenElement, { size, elements }: Screen): boolean {
  const part = visiblePart(element, size);
  if (!part) return true;
  const x = part.x + part.width / 2;
  const y = part.y + part.height / 2;
  const inside = descendantsOf({ size, elements }, element).length;
  return elements
    .slice(element.index + inside + 1)
    .filter(({ rect }) => rect.width * rect.height < size.width * size.height * BAR_SHARE)
    .some(({ rect }) => x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height);
}

type Test = (element: ScreenElement) => boolean;

const byTest =
  (test: Test): Search =>
  async ({ screen, root }) =>
    (root ? descendantsOf(screen, root) : screen.elements).filter(test);

/** An id without a package matches any package, as in UiAutomator2. */
const hasId = (value: string): Test => {
  const suffix = value.includes(':') ? null : `:id/${value}`;
  return ({ attributes: { 'resource-id': id } }) => id === value || (suffix !== null && id.endsWith(suffix));
};

function testOf(using: string, value: string): Test | null {
  switch (using) {
    case 'id':
      return hasId(value);
    case 'accessibility id':
      return ({ attributes }) => attributes['content-desc'] === value;
    case 'class name':
    case 'tag name':
      return ({ attributes }) => attributes.class === value;
    case 'name':
      return ({ attributes }) => attributes['content-desc'] === value || attributes.text === value;
    default:
      return null;
  }
}

/** The forms into which Selenium's clients convert ids, names and classes. */
function cssTest(value: string): Test {
  const [, attribute, quoted] = /^\*?\[(id|name|class)=["'](.*)["']\]$/s.exec(value) ?? [];
  const [, prefix, name] = /^\*?([#.])([\w\\:./-]+)$/.exec(value) ?? [];
  const by =
    attribute ?? (prefix === '#' ? 'id' : prefix === '.' ? 'class' : /^[\w.]+$/.test(value) ? 'tag' : null);
  const wanted = (quoted ?? name ?? value).replaceAll(/\\(.)/gs, '$1');
  const test = by && testOf({ id: 'id', name: 'name', class: 'class name', tag: 'class name' }[by]!, wanted);
  if (test) return test;
  throw new WebDriverError(
    'invalid selector',
    'css selector must be #id, *[id="…"], .class or [name="…"]; use xpath or -android uiautomator instead',
  );
}
