import { describe, expect, it } from 'vitest';
import { ANDROID_KEYS as KEYS } from '../../../contract/sockets/android-keys.ts';
import { encodeScrcpyControl } from '../../../contract/sockets/scrcpy-control.ts';
import { inject } from '../injection.ts';
import { TestPhone } from '../test-phone.ts';

const APP = { packageName: 'com.example.app', label: 'Example', version: '1.0', minSdk: null, icon: null };
const NOTIFICATION = `notification-${APP.packageName}`;

function pulledDown(phone: TestPhone): TestPhone {
  phone.swipe({ x: 0.5, y: 0.01 }, { x: 0.5, y: 0.4 });
  phone.advance(400);
  return phone;
}

const isShown = (phone: TestPhone) => phone.find('notification-shade') !== undefined;

describe('the notification shade', () => {
  it('is pulled down from the top edge, and pushed up again', () => {
    const phone = pulledDown(TestPhone.unlocked());
    expect(phone.node('no-notifications').text).toBe('No notifications');
    phone.swipe({ x: 0.5, y: 0.6 }, { x: 0.5, y: 0.3 });
    phone.advance(400);
    expect(isShown(phone)).toBe(false);
    expect(phone.find('home-screen')).toBeDefined();
  });

  it('closes again after a short pull, at BACK, at HOME and at a tap below it', () => {
    const phone = TestPhone.unlocked();
    phone.swipe({ x: 0.5, y: 0.01 }, { x: 0.5, y: 0.06 }, 640);
    phone.advance(400);
    expect(isShown(phone)).toBe(false);
    for (const close of [
      () => phone.device.keyDown(KEYS.BACK, 0),
      () => phone.device.keyDown(KEYS.HOME, 0),
      () => phone.tap({ x: 0.5, y: 0.8 }),
    ]) {
      pulledDown(phone);
      expect(isShown(phone)).toBe(true);
      close();
      phone.advance(400);
      expect(isShown(phone)).toBe(false);
    }
  });

  it('shows that an app was installed or updated, and opens the app', () => {
    const phone = TestPhone.unlocked();
    phone.device.install(APP, null);
    phone.device.keyDown(KEYS.NOTIFICATION, 0);
    phone.advance(400);
    expect(phone.node(NOTIFICATION).text).toBe('Example: Installed. Tap to open.');
    phone.device.install({ ...APP, version: '2.0' }, null);
    expect(phone.node(NOTIFICATION).text).toBe('Example: Updated to version 2.0');
    phone.tapOn(NOTIFICATION);
    phone.advance(600);
    expect(phone.device.front).toBe(APP.packageName);
    expect(isShown(phone)).toBe(false);
    pulledDown(phone);
    expect(phone.find(NOTIFICATION)).toBeUndefined();
  });

  it('removes a notification that is swiped sideways, whose app is uninstalled, or with all others', () => {
    const phone = TestPhone.unlocked();
    const install = (name: string) =>
      phone.device.install({ ...APP, packageName: name, label: name.slice(-1) }, null);
    for (const name of ['com.example.a', 'com.example.b', 'com.example.c', 'com.example.d']) install(name);
    pulledDown(phone);
    const { bounds } = phone.node('notification-com.example.d');
    const y = bounds.y + bounds.height / 2;
    phone.swipe({ x: 0.3, y }, { x: 0.8, y });
    phone.advance(100);
    expect(phone.find('notification-com.example.d')).toBeUndefined();
    phone.device.uninstall('com.example.c');
    expect(phone.find('notification-com.example.c')).toBeUndefined();
    expect(phone.find('notification-com.example.b')).toBeDefined();
    phone.tapOn('clear-notifications');
    expect(phone.node('no-notifications').text).toBe('No notifications');
  });

  it('opens and closes with the messages of scrcpy, also on the lock screen, and closes with the screen', () => {
    const phone = new TestPhone();
    const send = (type: 'expand-notifications' | 'collapse-panels') => {
      const target = { device: phone.device, requestKeyframe: () => {}, sendClipboard: () => {} };
      inject(target, encodeScrcpyControl({ type }));
      phone.advance(400);
    };
    phone.device.setPower(true);
    send('expand-notifications');
    expect(isShown(phone)).toBe(true);
    send('collapse-panels');
    expect(isShown(phone)).toBe(false);
    send('expand-notifications');
    phone.device.setPower(false);
    send('expand-notifications');
    phone.device.setPower(true);
    expect(isShown(phone)).toBe(false);
    expect(phone.device.locked).toBe(true);
  });
});
