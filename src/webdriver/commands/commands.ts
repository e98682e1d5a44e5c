import type { Locator } from '../locating/locate.ts';
import type { Command, Handler } from '../phone.ts';
import { unknownCommand, WebDriverError } from '../protocol/errors.ts';
import { ELEMENT_KEY } from '../screen/element-references.ts';
import { performActions, releaseActions } from './actions.ts';
import { DEVICE_COMMANDS } from './device.ts';
import { ELEMENT_COMMANDS } from './elements.ts';
import { MOBILE_COMMANDS } from './mobile.ts';

/** A command of a session that a path and a method select. */
export interface FoundCommand {
  /** Such as `POST /element/{element}/click`. It has no identifiers, so it may be logged and counted. */
  name: string;
  params: Record<string, string>;
  run: Handler;
}

interface Route {
  method: string;
  pattern: RegExp;
  name: string;
  run: Handler;
}

/** The commands of a WebDriver session, by the method and the path below `/session/{session id}`. */
export class Commands {
  private readonly routes: Route[];

  constructor(locator: Locator) {
    const handlers: Record<string, Handler> = {
      'POST /element': findOne(locator, () => null),
      'POST /elements': findAll(locator, () => null),
      'POST /element/{element}/element': findOne(locator, elementOf),
      'POST /element/{element}/elements': findAll(locator, elementOf),
      ...ELEMENT_COMMANDS,
      'POST /actions': performActions,
      'DELETE /actions': releaseActions,
      ...DEVICE_COMMANDS,
      ...MOBILE_COMMANDS,
    };
    this.routes = Object.entries(handlers).map(([name, run]) => {
      const [method, path] = name.split(' ') as [string, string];
      return { method, name, run, pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) };
    });
  }

  /** @throws WebDriverError `unknown command` or `unknown method` */
  find(method: string, path: string): FoundCommand {
    const matching = this.routes.filter(({ pattern }) => pattern.test(path));
    const route = matching.find((one) => one.method === method);
    if (route) {
      const params = { ...route.pattern.exec(path)!.groups };
      return { name: route.name, run: route.run, params };
    }
    if (matching.length > 0)
      throw new WebDriverError(
        'unknown method',
        `this command accepts ${matching.map((one) => one.method).join(', ')}`,
      );
    throw unknownCommand();
  }
}

const elementOf = ({ params }: Command) => params.element!;

const findAll =
  (locator: Locator, root: (command: Command) => string | null): Handler =>
  async (command) =>
    (await locator.find(command, root(command))).map((reference) => ({ [ELEMENT_KEY]: reference }));

const findOne =
  (locator: Locator, root: (command: Command) => string | null): Handler =>
  async (command) => {
    const [reference] = await locator.find(command, root(command));
    if (reference !== undefined) return { [ELEMENT_KEY]: reference };
    throw new WebDriverError(
      'no such element',
      'no element on the screen matches; GET /source shows what is there',
    );
  };
