import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { ANDROID_KEYS as KEYS } from '../../../contract/sockets/android-keys.ts';
import { TestPhone } from '../test-phone.ts';
import { MAX_INSTALLED } from './installed-apps.ts';

const APP = { packageName: 'com.example.app', label: 'Example', version: '1.0', minSdk: null, icon: null };

function green() {
  const canvas = createCanvas(96, 96);
  const context = canvas.getContext('2d');
  context.fillStyle = '#22aa44';
  context.fillRect(0, 0, 96, 96);
  return loadImage(canvas.toBuffer('image/png'));
}

const middleOf = ({ bounds }: { bounds: { x: number; y: number; width: number; height: number } }) => ({
  x: bounds.x + bounds.width / 2,
  // The label is below the icon
  y: bounds.y + bounds.height * 0.3,
});

describe('an installed app', () => {
  it('appears on the home screen with its icon and label, and opens a page with its name', async () => {
    const phone = TestPhone.unlocked();
    phone.device.install(APP, await green());
    const icon = phone.node('icon-com.example.app');
    expect(icon.text).toBe('Example');
    expect(phone.pixel(middleOf(icon))).toBe('#22aa44');
    phone.tapOn('icon-com.example.app');
    phone.advance(400);
    expect(phone.device.front).toBe('com.example.app');
    expect(phone.node('app-label').text).toBe('Example');
    expect(phone.node('app-version').text).toBe('1.0');
    expect(phone.node('app-package').text).toBe('com.example.app');
    phone.device.keyDown(KEYS.HOME, 0);
    phone.advance(400);
    expect(phone.device.front).toBeNull();
  });

  it('is replaced by another version of itself, which starts from scratch', () => {
    const phone = TestPhone.unlocked();
    phone.device.install(APP, null);
    phone.device.launch(APP.packageName);
    phone.device.install({ ...APP, version: '2.0' }, null);
    expect(phone.device.front).toBeNull();
    phone.device.launch(APP.packageName);
    phone.advance(400);
    expect(phone.node('app-version').text).toBe('2.0');
    expect(phone.device.apps.filter((app) => app.package === APP.packageName)).toHaveLength(1);
  });

  it('disappears on uninstall, including from the foreground and the recent apps', () => {
    const phone = TestPhone.unlocked();
    phone.device.install(APP, null);
    phone.device.launch(APP.packageName);
    phone.advance(400);
    phone.device.uninstall(APP.packageName);
    expect(phone.device.front).toBeNull();
    expect(phone.find('icon-com.example.app')).toBeUndefined();
    expect(phone.device.launch(APP.packageName)).toBe(false);
    phone.device.keyDown(KEYS.APP_SWITCH, 0);
    phone.advance(400);
    expect(phone.find('card-com.example.app')).toBeUndefined();
  });

  it('is rejected with the error that Android returns', () => {
    const { device } = TestPhone.unlocked();
    expect(() => device.install({ ...APP, minSdk: 99 }, null)).toThrow(/^INSTALL_FAILED_OLDER_SDK: .*#99/);
    const system = { ...APP, packageName: 'com.android.settings' };
    expect(() => device.install(system, null)).toThrow(/^INSTALL_FAILED_UPDATE_INCOMPATIBLE/);
    expect(() => device.uninstall('com.android.settings')).toThrow(/^DELETE_FAILED/);
    expect(() => device.uninstall('com.nobody')).toThrow('this phone has no app named com.nobody');
  });

  it('is reachable on the home screen with any number of apps, in portrait and landscape', () => {
    const phone = TestPhone.unlocked();
    const names = Array.from({ length: MAX_INSTALLED }, (_, n) => `com.example.a${n}`);
    for (const packageName of names) phone.device.install({ ...APP, packageName }, null);
    const more = { ...APP, packageName: 'com.example.more' };
    expect(() => phone.device.install(more, null)).toThrow(/^INSTALL_FAILED_INSUFFICIENT_STORAGE/);
    for (const orientation of ['portrait', 'landscape'] as const) {
      phone.device.rotate(orientation);
      phone.advance(400);
      for (const name of names) {
        const { x, y, width, height } = phone.node(`icon-${name}`).bounds;
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(1.0001);
      }
    }
  });
});
