import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { WebSocket } from 'ws';
import { until, within } from '../black-box/kit/wait.ts';
import { end } from '../fixtures/process.ts';

const NAMES = ['firefox-esr', 'firefox'];
const CLOSE_DEADLINE_MS = 30_000;

/** Settings of the profile, which prevent connections to anything except the page, and animations. */
const PREFERENCES: Readonly<Record<string, boolean | number | string>> = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.search.update': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.push.connection.enabled': false,
  'extensions.update.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.enabled': false,
  'ui.prefersReducedMotion': 1,
};

interface Reply {
  id?: number;
  method?: string;
  result?: unknown;
  error?: string;
  message?: string;
  params?: { level?: string; text?: string };
}

/** A Firefox with one page, controlled over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). */
export class Firefox implements AsyncDisposable {
  /** Errors that the page logged. */
  readonly problems: string[] = [];
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #context = '';

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data))));
    socket.on('close', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('Firefox closed the connection'));
    });
  }

  /** @throws Error that says what to install if Firefox is missing, or with its output if it does not start */
  static async launch(viewport: { width: number; height: number }): Promise<Firefox> {
    const profile = await mkdtemp(join(tmpdir(), 'phonebooth-firefox-'));
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    await writeFile(join(profile, 'user.js'), lines.join('\n'));
    const process = start(profile);
    try {
      const socket = new WebSocket(`${await addressOf(process)}/session`);
      await within('the connection to Firefox', once(socket, 'open'));
      const firefox = new Firefox(process, profile, socket);
      await firefox.#prepare(viewport);
      return firefox;
    } catch (error) {
      await end(process, 'SIGKILL');
      await rm(profile, { recursive: true, force: true });
      throw error;
    }
  }

  async goto(url: string): Promise<void> {
    await this.#command('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** Waits for an element with this accessible name, and this role if there is one, and returns it. */
  async find(name: string, role?: string): Promise<FirefoxElement> {
    const value = { name, ...(role !== undefined && { role }) };
    const [node] = await until(`${role ?? 'an element'} “${name}” in Firefox`, async () => {
      const { nodes } = await this.#command<{ nodes: { sharedId: string }[] }>(
        'browsingContext.locateNodes',
        { context: this.#context, locator: { type: 'accessibility', value }, maxNodeCount: 1 },
      );
      return nodes.length > 0 && nodes;
    });
    return new FirefoxElement(this, node!.sharedId);
  }

  /** The text of the page. */
  async text(): Promise<string> {
    const body = await this.#command<{ nodes: { sharedId: string }[] }>('browsingContext.locateNodes', {
      context: this.#context,
      locator: { type: 'css', value: 'body' },
    });
    return this.call(body.nodes[0]!.sharedId, (element) => (element as HTMLElement).innerText, null);
  }

  /** Calls a function in the page with an element and an argument. Both the argument and the result are JSON. */
  async call<Argument, Result>(
    sharedId: string,
    run: (element: HTMLElement | SVGElement, argument: Argument) => Result,
    argument: Argument,
  ): Promise<Result> {
    const { type, result, exceptionDetails } = await this.#command<{
      type: string;
      result?: { value: string };
      exceptionDetails?: { text: string };
    }>('script.callFunction', {
      functionDeclaration: `(element, argument) => JSON.stringify((${run})(element, JSON.parse(argument)))`,
      target: { context: this.#context },
      arguments: [{ sharedId }, { type: 'string', value: JSON.stringify(argument) }],
      awaitPromise: false,
    });
    if (type !== 'success') throw new Error(`a function failed in Firefox: ${exceptionDetails?.text}`);
    return JSON.parse(result!.value) as Result;
  }

  /** Moves the mouse to the first point, presses its button, moves to the other points, and releases it. */
  async drag(points: readonly { x: number; y: number }[]): Promise<void> {
    const [first, ...others] = points.map(({ x, y }) => ({
      ...{ type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
    }));
    const button = { button: 0 };
    await this.#perform({
      type: 'pointer',
      id: 'mouse',
      actions: [first, { type: 'pointerDown', ...button }, ...others, { type: 'pointerUp', ...button }],
    });
  }

  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#perform({ type: 'key', id: 'keyboard', actions });
  }

  async screenshot(path: string): Promise<void> {
    const { data } = await this.#command<{ data: string }>('browsingContext.captureScreenshot', {
      context: this.#context,
    });
    await writeFile(path, Buffer.from(data, 'base64'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#process, 'close');
    try {
      await this.#command('browser.close', {});
      await within('Firefox to exit', closed, CLOSE_DEADLINE_MS);
    } catch {
      await end(this.#process, 'SIGKILL');
    }
    this.#socket.terminate();
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10 });
  }

  async #prepare(viewport: { width: number; height: number }): Promise<void> {
    // The service's certificate is signed by its own authority.
    await this.#command('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
    await this.#command('session.subscribe', { events: ['log.entryAdded'] });
    // The initial tab has no focus, so elements in it receive no focus events.
    const { context } = await this.#command<{ context: string }>('browsingContext.create', { type: 'tab' });
    this.#context = context;
    await this.#command('browsingContext.setViewport', { context: this.#context, viewport });
  }

  async #perform(source: object): Promise<void> {
    await this.#command('input.performActions', { context: this.#context, actions: [source] });
  }

  #command<T>(method: string, params: object): Promise<T> {
    const id = ++this.#lastId;
    const reply = Promise.withResolvers<unknown>();
    this.#pending.set(id, reply);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return within(`Firefox to answer ${method}`, reply.promise as Promise<T>);
  }

  #receive({ id, method, result, error, message, params }: Reply): void {
    if (method === 'log.entryAdded' && params?.level === 'error') this.problems.push(params.text ?? '');
    const reply = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || !reply) return;
    this.#pending.delete(id);
    if (error === undefined) reply.resolve(result);
    else reply.reject(new Error(`${error}: ${message}`));
  }
}

export class FirefoxElement {
  readonly #firefox: Firefox;
  readonly #sharedId: string;

  constructor(firefox: Firefox, sharedId: string) {
    this.#firefox = firefox;
    this.#sharedId = sharedId;
  }

  evaluate<Argument, Result>(
    run: (element: HTMLElement | SVGElement, argument: Argument) => Result,
    argument: Argument,
  ): Promise<Result> {
    return this.#firefox.call(this.#sharedId, run, argument);
  }

  /** Clicks a point, given as fractions of the element. */
  async click(at: readonly [number, number] = [0.5, 0.5]): Promise<void> {
    await this.drag(at);
  }

  /** Drags between points, given as fractions of the element. */
  async drag(...points: (readonly [number, number])[]): Promise<void> {
    const box = await this.evaluate((element) => {
      element.scrollIntoView({ block: 'nearest' });
      return element.getBoundingClientRect();
    }, null);
    await this.#firefox.drag(
      points.map(([x, y]) => ({ x: box.x + x * box.width, y: box.y + y * box.height })),
    );
  }
}

function start(profile: string): ChildProcess {
  const args = ['--headless', '--remote-debugging-port=0', '--profile', profile];
  return spawn(findFirefox(), args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH ?? '', HOME: profile },
  });
}

/** Waits for the address that Firefox prints. */
function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4096);
  });
  return until('Firefox to start', () => {
    if (child.exitCode !== null) throw new Error(`Firefox did not start: ${output}`);
    return /WebDriver BiDi listening on (ws:\S+)/.exec(output)?.[1];
  });
}

function findFirefox(): string {
  const named = process.env.PHONEBOOTH_FIREFOX;
  if (named) return named;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found) return found;
  throw new Error(
    'These tests require Firefox, which was not found. Install it (Debian: apt install firefox-esr), or set PHONEBOOTH_FIREFOX to the path of its executable.',
  );
}
