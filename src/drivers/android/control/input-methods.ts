import { ANDROID_KEYS, androidKeyCode, unknownKey } from '../../../contract/sockets/android-keys.ts';
import {
  encodeScrcpyControl,
  KEY_ACTIONS,
  MAX_INJECT_TEXT_BYTES,
} from '../../../contract/sockets/scrcpy-control.ts';
import { DriverError } from '../../driver.ts';
import { gestureMethods } from '../../gesture-methods.ts';
import { keyMessage, scrollMessage } from '../scrcpy/control-messages.ts';
import { writeSettings } from '../settings.ts';
import type { Clipboard } from './clipboard.ts';
import { Gestures } from './gestures.ts';
import { deliver, type Handlers, type PhoneContext } from './phone-context.ts';

const AUTO_ROTATION = 'system accelerometer_rotation';
/** The characters that Android's virtual keyboard can type; any other text is pasted. */
const TYPEABLE = /^[\n\t -~]*$/;

/** The control methods that are performed with scrcpy's messages. */
export function inputMethods(phone: PhoneContext, clipboard: Clipboard): Handlers {
  return {
    ...touchMethods(phone),
    key: async ({ key, action = 'press', meta = 0 }) => {
      const code = androidKeyCode(key);
      if (code === undefined) throw new DriverError('failed', unknownKey(key));
      if (action !== 'up') deliver(phone, keyMessage(KEY_ACTIONS.down, code, meta));
      if (action !== 'down') deliver(phone, keyMessage(KEY_ACTIONS.up, code, meta));
      return null;
    },
    text: async ({ text }, signal) => {
      if (text.length > MAX_INJECT_TEXT_BYTES || !TYPEABLE.test(text))
        await clipboard.set(text, true, signal);
      else if (text) deliver(phone, encodeScrcpyControl({ type: 'text', text }));
      return null;
    },
    rotate: async ({ orientation }, signal) => {
      // With auto-rotation on, the phone would rotate the screen back to its physical orientation. The setting is
      // restored after the session.
      const entries = await phone.journal.read();
      if (Object.hasOwn(entries?.settings ?? {}, AUTO_ROTATION))
        await writeSettings(phone.device, entries?.user ?? phone.user, { [AUTO_ROTATION]: '0' }, signal);
      const now = phone.size.width > phone.size.height ? 'landscape' : 'portrait';
      if (orientation !== now) deliver(phone, encodeScrcpyControl({ type: 'rotate' }));
      return null;
    },
    power: async ({ on }, signal) => {
      const code = on ? ANDROID_KEYS.WAKEUP : ANDROID_KEYS.SLEEP;
      deliver(phone, keyMessage(KEY_ACTIONS.down, code, 0), keyMessage(KEY_ACTIONS.up, code, 0));
      if (on) await phone.device.shell('wm dismiss-keyguard', { signal });
      return null;
    },
    'clipboard.get': async () => ({ text: clipboard.text }),
    'clipboard.set': async ({ text, paste = false }, signal) => {
      await clipboard.set(text, paste, signal);
      return null;
    },
  };
}

function touchMethods(phone: PhoneContext): Handlers {
  const gestures = new Gestures(phone);
  return {
    ...gestureMethods(gestures),
    touch: async ({ action, pointer = 0, x, y, pressure = 1 }) => {
      gestures.touch(action, pointer, { x, y }, pressure);
      return null;
    },
    scroll: async ({ x, y, dx, dy }) => {
      deliver(phone, scrollMessage({ x, y, ...phone.size }, dx, dy));
      return null;
    },
  };
}
