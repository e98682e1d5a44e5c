import { WebDriverError } from '../protocol/errors.ts';

/** The text attributes of `UiSelector` and how they compare, by the name of the method. */
const TEXT_METHODS = {
  text: ['text', 'equals'],
  textContains: ['text', 'contains'],
  textStartsWith: ['text', 'startsWith'],
  textMatches: ['text', 'matches'],
  description: ['content-desc', 'equals'],
  descriptionContains: ['content-desc', 'contains'],
  descriptionStartsWith: ['content-desc', 'startsWith'],
  descriptionMatches: ['content-desc', 'matches'],
  resourceId: ['resource-id', 'equals'],
  resourceIdMatches: ['resource-id', 'matches'],
  className: ['class', 'equals'],
  classNameMatches: ['class', 'matches'],
  packageName: ['package', 'equals'],
  packageNameMatches: ['package', 'matches'],
} as const;

const FLAG_METHODS = {
  checkable: 'checkable',
  checked: 'checked',
  clickable: 'clickable',
  enabled: 'enabled',
  focusable: 'focusable',
  focused: 'focused',
  longClickable: 'long-clickable',
  scrollable: 'scrollable',
  selected: 'selected',
} as const;

type TextAttribute =
  | (typeof TEXT_METHODS)[keyof typeof TEXT_METHODS][0]
  | (typeof FLAG_METHODS)[keyof typeof FLAG_METHODS];

/** A parsed `new UiSelector()…`. Plain data, which can be passed to a thread. */
export interface UiSelector {
  conditions: {
    attribute: TextAttribute | 'index';
    by: 'equals' | 'contains' | 'startsWith' | 'matches';
    value: string;
  }[];
  /** Which of the matching elements. */
  instance: number | null;
  /** An element below those that match. */
  child: UiSelector | null;
  /** An element below the parent of those that match. */
  sibling: UiSelector | null;
}

/** `new UiScrollable(…).scrollIntoView(…)`: scrolls the container until the target is on the screen. */
export interface UiScrollable {
  container: UiSelector;
  target: UiSelector;
  maxSwipes: number;
}

const MAX_DEPTH = 8;
const MAX_METHODS = 30;
const DEFAULT_SWIPES = 10;
const MAX_SWIPES = 30;

/** @throws WebDriverError `invalid selector` */
export function parseUiSelector(text: string): UiSelector | UiScrollable {
  const parser = new Parser(text);
  const parsed = parser.expression();
  parser.end();
  return parsed;
}

/** A recursive descent parser for the Java expressions of UiAutomator that clients use. */
class Parser {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  expression(): UiSelector | UiScrollable {
    return this.takes(/new\s+UiScrollable\s*\(/y) ? this.scrollable() : this.selector(0);
  }

  end(): void {
    this.takes(/;/y);
    if (this.at < this.text.length) throw this.error('has text after its end');
  }

  private selector(depth: number): UiSelector {
    if (depth > MAX_DEPTH) throw this.error(`must not be nested more than ${MAX_DEPTH} levels deep`);
    this.expect(/new\s+UiSelector\s*\(\s*\)/y, 'new UiSelector()');
    const selector: UiSelector = { conditions: [], instance: null, child: null, sibling: null };
    for (let methods = 0; ; methods += 1) {
      const name = this.method();
      if (name === null) return selector;
      if (methods >= MAX_METHODS) throw this.error(`must have at most ${MAX_METHODS} methods`);
      this.apply(selector, name, depth);
      this.expect(/\)/y, ')');
    }
  }

  private apply(selector: UiSelector, name: string, depth: number): void {
    if (Object.hasOwn(TEXT_METHODS, name)) {
      const [attribute, by] = TEXT_METHODS[name as keyof typeof TEXT_METHODS];
      selector.conditions.push({ attribute, by, value: this.string() });
    } else if (Object.hasOwn(FLAG_METHODS, name)) {
      const attribute = FLAG_METHODS[name as keyof typeof FLAG_METHODS];
      selector.conditions.push({ attribute, by: 'equals', value: String(this.boolean()) });
    } else if (name === 'index') {
      selector.conditions.push({ attribute: 'index', by: 'equals', value: String(this.integer()) });
    } else if (name === 'instance') selector.instance = this.integer();
    else if (name === 'childSelector') selector.child = this.selector(depth + 1);
    else if (name === 'fromParent') selector.sibling = this.selector(depth + 1);
    else throw this.error(`has the method ${name}, which is not supported`);
  }

  private scrollable(): UiScrollable {
    const container = this.selector(1);
    this.expect(/\)/y, ')');
    let maxSwipes = DEFAULT_SWIPES;
    for (let methods = 0; methods < MAX_METHODS; methods += 1) {
      const name = this.method();
      if (name === null) break;
      if (name === 'scrollIntoView') return this.closed({ container, target: this.selector(1), maxSwipes });
      if (name === 'scrollTextIntoView') {
        const text = { attribute: 'text', by: 'equals', value: this.string() } as const;
        const target = { conditions: [text], instance: null, child: null, sibling: null };
        return this.closed({ container, target, maxSwipes });
      }
      if (name === 'setMaxSearchSwipes') maxSwipes = Math.min(MAX_SWIPES, this.integer());
      else if (!/^setAs(Vertical|Horizontal)List$/.test(name))
        throw this.error(`has the method ${name}, which is not supported`);
      this.expect(/\)/y, ')');
    }
    throw this.error('must call scrollIntoView or scrollTextIntoView');
  }

  private closed(scrollable: UiScrollable): UiScrollable {
    this.expect(/\)/y, ')');
    return scrollable;
  }

  /** Reads `.name(`. */
  private method(): string | null {
    return this.takes(/\.\s*(\w{1,60})\s*\(/y);
  }

  private string(): string {
    const quoted = this.expect(/"((?:[^"\\]|\\.)*)"/y, 'a text in double quotes');
    return quoted.replaceAll(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
  }

  private integer(): number {
    return Number(this.expect(/(\d{1,6})/y, 'a whole number'));
  }

  private boolean(): boolean {
    return this.expect(/(true|false)/y, 'true or false') === 'true';
  }

  private expect(pattern: RegExp, what: string): string {
    const found = this.takes(pattern);
    if (found === null) throw this.error(`needs ${what} at character ${this.at + 1}`);
    return found;
  }

  /** Returns the first group of the pattern, or the whole match if it has none; null if it does not match here. */
  private takes(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return null;
    this.at = pattern.lastIndex;
    while (/\s/.test(this.text[this.at] ?? '')) this.at += 1;
    return found[1] ?? found[0];
  }

  private error(what: string): WebDriverError {
    return new WebDriverError('invalid selector', `the -android uiautomator selector ${what}`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
