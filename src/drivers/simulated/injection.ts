import { ANDROID_KEYS as KEYS } from '../../contract/sockets/android-keys.ts';
import {
  KEY_ACTIONS,
  parseScrcpyControl,
  type ScrcpyControlMessage,
  touchActionOf,
} from '../../contract/sockets/scrcpy-control.ts';
import type { SimulatedDevice } from './simulated-device.ts';

/** The keys that scrcpy makes the device press before it reads the clipboard. */
const COPY_KEYS: Record<number, number> = { 1: KEYS.COPY, 2: KEYS.CUT };

export interface InjectionTarget {
  readonly device: SimulatedDevice;
  requestKeyframe(): void;
  /** Sends the clipboard's content to the client, whether or not it has changed. */
  sendClipboard(): void;
}

/**
 * Performs one scrcpy control message.
 * @throws RangeError when the bytes are not a valid message.
 */
export function inject(target: InjectionTarget, bytes: Uint8Array): void {
  const message = parseScrcpyControl(bytes);
  const { device } = target;
  switch (message.type) {
    case 'key':
      if (message.action === KEY_ACTIONS.down) device.keyDown(message.keycode, message.meta);
      break;
    case 'text':
      device.typeText(message.text);
      break;
    case 'touch':
      touch(device, message);
      break;
    case 'scroll': {
      const { x, y, screenWidth, screenHeight, horizontal, vertical } = message;
      device.wheel({ x: x / screenWidth, y: y / screenHeight }, horizontal, vertical);
      break;
    }
    case 'back-or-screen-on':
      if (message.action === KEY_ACTIONS.down) device.keyDown(device.isOn ? KEYS.BACK : KEYS.POWER, 0);
      break;
    case 'rotate':
      device.rotate();
      break;
    case 'reset-video':
      target.requestKeyframe();
      break;
    case 'display-power':
      device.setPower(message.on);
      break;
    case 'get-clipboard': {
      const key = COPY_KEYS[message.copyKey];
      if (key !== undefined) device.keyDown(key, 0);
      target.sendClipboard();
      break;
    }
    case 'set-clipboard':
      device.setClipboard(message.text);
      if (message.paste) device.typeText(message.text);
      break;
    case 'start-app':
      device.launch(message.name);
      break;
    case 'expand-notifications':
      device.showNotifications(true);
      break;
    case 'collapse-panels':
      device.showNotifications(false);
      break;
    // Quick settings, keyboard settings and UHID devices: this phone has none of them, which scrcpy permits.
    default:
      return;
  }
}

function touch(device: SimulatedDevice, message: Extract<ScrcpyControlMessage, { type: 'touch' }>): void {
  const action = touchActionOf(message.action);
  const { screenWidth, screenHeight } = message;
  // Like scrcpy, ignores events that were created for another video size, because the screen has been rotated since.
  if (!action || screenWidth <= 0 || screenHeight <= 0 || !sameShape(device, screenWidth, screenHeight))
    return;
  const at = { x: message.x / screenWidth, y: message.y / screenHeight };
  device.touch({ action, pointer: `scrcpy-${message.pointer}`, at, pressure: message.pressure });
}

function sameShape(device: SimulatedDevice, width: number, height: number): boolean {
  return device.screen.width > device.screen.height === width > height;
}
