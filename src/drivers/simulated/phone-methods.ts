import { androidKeyCode, unknownKey } from '../../contract/sockets/android-keys.ts';
import type { ConditionsReport } from '../../contract/sockets/conditions.ts';
import type { ControlParams, ControlResult, PhoneMethod } from '../../contract/sockets/control-methods.ts';
import { checkConditions } from '../conditions.ts';
import { DriverError } from '../driver.ts';
import { gestureMethods } from '../gesture-methods.ts';
import { APPS } from './apps/catalogue.ts';
import { Gestures } from './gestures.ts';
import type { LogLines } from './log-lines.ts';
import type { SimulatedDevice } from './simulated-device.ts';
import type { Clock } from './ui/clock.ts';

type Handlers = {
  [M in PhoneMethod]?: (
    params: ControlParams<M>,
    signal: AbortSignal,
  ) => ControlResult<M> | Promise<ControlResult<M>>;
};

/** Performs control methods on a simulated phone. */
export class PhoneMethods {
  readonly #handlers: Handlers;

  constructor(device: SimulatedDevice, clock: Clock, log: LogLines) {
    this.#handlers = {
      ...inputMethods(device, new Gestures(device, clock)),
      ...systemMethods(device, log),
      ...appMethods(device),
    };
  }

  /** @throws DriverError with the reason for a failure. */
  async perform(method: PhoneMethod, params: unknown, signal: AbortSignal): Promise<unknown> {
    const handler = this.#handlers[method] as ((params: unknown, signal: AbortSignal) => unknown) | undefined;
    if (!handler)
      throw new DriverError(
        'unsupported',
        `simulated phones do not support ${method}; borrow an Android phone`,
      );
    return handler(params, signal);
  }
}

/** The methods that a simulated phone supports. It does not run Android, so there is no shell. */
export const SIMULATED_CAPABILITIES: readonly PhoneMethod[] = [
  'tap',
  'long_press',
  'swipe',
  'touch',
  'scroll',
  'key',
  'text',
  'rotate',
  'power',
  'clipboard.get',
  'clipboard.set',
  'app.install',
  'app.uninstall',
  'app.launch',
  'app.stop',
  'app.clear',
  'app.list',
  'open_url',
  'screenshot',
  'ui.tree',
  'device.info',
  'log.start',
  'log.stop',
  'location.set',
  'conditions.get',
  'conditions.set',
];

/** What a simulated phone cannot do, with the reason. */
const UNSUPPORTED: ConditionsReport['unsupported'] = {
  proxy: 'simulated phones do not use the network; borrow an Android phone',
};

function inputMethods(device: SimulatedDevice, gestures: Gestures): Handlers {
  return {
    ...gestureMethods(gestures),
    touch: ({ action, pointer = 0, x, y, pressure = 1 }) => {
      device.touch({ action, pointer: String(pointer), at: { x, y }, pressure });
      return null;
    },
    scroll: ({ x, y, dx, dy }) => {
      device.wheel({ x, y }, dx, dy);
      return null;
    },
    key: ({ key, action = 'press', meta = 0 }) => {
      const code = androidKeyCode(key);
      if (code === undefined) throw new DriverError('failed', unknownKey(key));
      if (action !== 'up') device.keyDown(code, meta);
      return null;
    },
    text: ({ text }) => {
      device.typeText(text);
      return null;
    },
  };
}

function systemMethods(device: SimulatedDevice, log: LogLines): Handlers {
  return {
    rotate: ({ orientation }) => {
      device.rotate(orientation);
      return null;
    },
    power: ({ on }) => {
      device.setPower(on);
      return null;
    },
    'clipboard.get': () => ({ text: device.clipboard }),
    'clipboard.set': ({ text, paste = false }) => {
      device.setClipboard(text);
      if (paste) device.typeText(text);
      return null;
    },
    screenshot: () => {
      device.paint();
      return { png: device.screen.png().toString('base64') };
    },
    'ui.tree': () => ({ root: device.uiTree() }),
    'device.info': () => device.info(),
    'log.start': () => {
      log.turn(true);
      return null;
    },
    'log.stop': () => {
      log.turn(false);
      return null;
    },
    'location.set': (location) => {
      device.setLocation(location);
      return null;
    },
    'conditions.get': () => ({ values: device.conditions, unsupported: UNSUPPORTED }),
    'conditions.set': (wanted) => {
      checkConditions(wanted, UNSUPPORTED);
      device.setConditions(wanted);
      return { values: device.conditions, unsupported: UNSUPPORTED };
    },
  };
}

function appMethods(device: SimulatedDevice): Handlers {
  const missing = (name: string) =>
    new DriverError('failed', `this phone has no app named ${name}; app.list lists its apps`);
  return {
    'app.list': () => ({
      apps: device.apps.map((app) => ({
        package: app.package,
        label: app.label,
        system: APPS.includes(app),
      })),
    }),
    'app.uninstall': ({ package: name }) => {
      device.uninstall(name);
      return null;
    },
    'app.launch': ({ package: name }) => {
      if (!device.launch(name)) throw missing(name);
      return null;
    },
    'app.stop': ({ package: name }) => {
      if (!device.stop(name)) throw missing(name);
      return null;
    },
    // A simulated app keeps its data only while it is running.
    'app.clear': ({ package: name }) => {
      if (!device.stop(name)) throw missing(name);
      return null;
    },
    open_url: ({ url }) => {
      device.openUrl(url);
      return null;
    },
  };
}
