import { describe, expect, it } from 'vitest';
import { ANDROID_META, ANDROID_KEYS as KEYS } from '../../contract/sockets/android-keys.ts';
import { TestPhone } from './test-phone.ts';

const SETTINGS = 'com.android.settings';
const NOTES = 'com.phonebooth.notes';

function opened(app: string): TestPhone {
  const phone = TestPhone.unlocked();
  phone.device.launch(app);
  phone.advance(400);
  return phone;
}

describe('the lock screen', () => {
  it('shows the time and the date', () => {
    const phone = new TestPhone();
    phone.device.setPower(true);
    expect(phone.node('lock-time').text).toBe('10:08');
    expect(phone.node('lock-date').text).toContain('14 May');
  });

  it('unlocks on an upward swipe', () => {
    const phone = TestPhone.unlocked();
    expect(phone.device.locked).toBe(false);
    expect(phone.find('home-screen')).toBeDefined();
  });

  it('stays locked after a short swipe, a downward swipe, a tap and HOME', () => {
    const phone = new TestPhone();
    phone.device.setPower(true);
    phone.swipe({ x: 0.5, y: 0.8 }, { x: 0.5, y: 0.76 }, 320);
    phone.advance(500);
    phone.swipe({ x: 0.5, y: 0.3 }, { x: 0.5, y: 0.8 });
    phone.tap({ x: 0.5, y: 0.5 });
    phone.device.keyDown(KEYS.HOME, 0);
    expect(phone.device.locked).toBe(true);
  });

  it('appears after POWER is pressed twice, with a black screen in between', () => {
    const phone = TestPhone.unlocked();
    phone.device.keyDown(KEYS.POWER, 0);
    expect(phone.pixel({ x: 0.5, y: 0.1 })).toBe('#000000');
    phone.tap({ x: 0.5, y: 0.5 });
    expect(phone.device.uiTree()).toMatchObject({ text: 'The screen is off' });
    phone.device.keyDown(KEYS.WAKEUP, 0);
    expect(phone.node('lock-screen').role).toBe('screen');
    expect(phone.pixel({ x: 0.5, y: 0.1 })).not.toBe('#000000');
  });

  it('updates its clock with one timer, and with none while the screen is off', () => {
    const phone = new TestPhone();
    phone.device.setPower(true);
    expect(phone.timers).toBe(1);
    const before = phone.frameRequests;
    phone.advance(29_000);
    expect(phone.frameRequests).toBe(before);
    phone.advance(2_000);
    expect(phone.frameRequests).toBe(before + 1);
    expect(phone.node('lock-time').text).toBe('10:09');
    phone.device.setPower(false);
    expect(phone.timers).toBe(0);
  });
});

describe('the launcher', () => {
  it('opens an app by its icon and returns home by HOME, BACK or a swipe from the bottom edge', () => {
    const phone = TestPhone.unlocked();
    for (const goHome of [
      () => phone.device.keyDown(KEYS.HOME, 0),
      () => phone.device.keyDown(KEYS.BACK, 0),
      () => phone.swipe({ x: 0.5, y: 0.995 }, { x: 0.5, y: 0.6 }),
    ]) {
      phone.tapOn(`icon-${SETTINGS}`);
      expect(phone.device.front).toBe(SETTINGS);
      goHome();
      phone.advance(400);
      expect(phone.device.front).toBeNull();
      expect(phone.find('home-screen')).toBeDefined();
    }
  });

  it('switches between apps by their cards and closes one that is swiped up', () => {
    const phone = opened(SETTINGS);
    phone.device.launch(NOTES);
    phone.advance(400);
    phone.device.keyDown(KEYS.APP_SWITCH, 0);
    const card = phone.node(`card-${NOTES}`).bounds;
    const middle = { x: card.x + card.width / 2, y: card.y + card.height / 2 };
    phone.swipe(middle, { x: middle.x, y: middle.y - 0.3 });
    expect(phone.find(`card-${NOTES}`)).toBeUndefined();
    phone.tapOn(`card-${SETTINGS}`);
    expect(phone.device.front).toBe(SETTINGS);
  });

  it('discards the state of an app when it is stopped', () => {
    const phone = opened(NOTES);
    phone.tapOn('new-note');
    phone.device.stop(NOTES);
    expect(phone.device.front).toBeNull();
    phone.device.launch(NOTES);
    expect(phone.find('note-editor')).toBeUndefined();
    expect(phone.device.launch('no.such.app')).toBe(false);
  });

  it('shows the volume briefly', () => {
    const phone = TestPhone.unlocked();
    phone.device.keyDown(KEYS.VOLUME_UP, 0);
    expect(phone.node('volume').text).toBe('67%');
    phone.advance(3000);
    expect(phone.find('volume')).toBeUndefined();
  });

  it('draws nothing once all animations have ended', () => {
    const phone = opened(SETTINGS);
    const before = phone.frameRequests;
    phone.advance(5000);
    expect(phone.frameRequests).toBe(before);
    expect(phone.device.animating).toBe(false);
    expect(phone.device.screen.damaged).toBe(false);
  });
});

describe('incremental painting', () => {
  /** Redraws the whole screen and compares the result with the incrementally drawn one. */
  function expectFullRedraw(phone: TestPhone): void {
    phone.device.paint();
    const before = Buffer.from(phone.device.screen.pixels);
    phone.device.screen.invalidate();
    phone.device.paint();
    expect(before.equals(phone.device.screen.pixels)).toBe(true);
  }

  it('produces the same image as a full redraw', () => {
    const phone = opened(NOTES);
    phone.tapOn('new-note');
    phone.device.typeText('one two three\nfour');
    expectFullRedraw(phone);
    phone.device.keyDown(KEYS.A, ANDROID_META.ctrl);
    expectFullRedraw(phone);
    phone.device.touch({ action: 'down', pointer: 'held', at: { x: 0.5, y: 0.75 }, pressure: 1 });
    expectFullRedraw(phone);
    phone.device.touch({ action: 'up', pointer: 'held', at: { x: 0.5, y: 0.75 }, pressure: 0 });
    expectFullRedraw(phone);
    phone.device.keyDown(KEYS.HOME, 0);
    phone.advance(400);
    phone.device.touch({ action: 'down', pointer: 'held', at: { x: 0.15, y: 0.9 }, pressure: 1 });
    expectFullRedraw(phone);
  });
});

describe('rotation', () => {
  it('swaps the sides, reports the new size and lays out the screen again', () => {
    const phone = opened(SETTINGS);
    const { width, height } = phone.device.screen;
    phone.device.rotate();
    expect(phone.rotations).toEqual([{ width: height, height: width }]);
    phone.device.paint();
    expect(phone.device.screen.pixels.length).toBe(width * height * 4);
    expect(phone.node('settings-list').bounds.width).toBe(1);
    phone.device.rotate('landscape');
    expect(phone.rotations).toHaveLength(1);
    phone.device.rotate('portrait');
    expect(phone.rotations).toHaveLength(2);
  });
});

describe('ui.tree', () => {
  it('lists nodes within the screen bounds and omits what is scrolled out of view', () => {
    const phone = opened(SETTINGS);
    const visit = (node: ReturnType<TestPhone['node']>) => {
      const { x, y, width, height } = node.bounds;
      expect(x).toBeGreaterThanOrEqual(0);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(1.000001);
      expect(y + height).toBeLessThanOrEqual(1.000001);
      node.children?.forEach(visit);
    };
    visit(phone.device.uiTree());
    expect(phone.find('about')).toBeUndefined();
    expect(phone.node('bluetooth')).toMatchObject({ role: 'switch', clickable: true });
  });

  it('names the app in the foreground', () => {
    const phone = opened(SETTINGS);
    const named = () => JSON.stringify(phone.device.uiTree()).match(/"package":"[^"]*"/g);
    expect(named()).toEqual([`"package":"${SETTINGS}"`]);
    phone.device.setPower(false);
    expect(named()).toBeNull();
    phone.device.setPower(true);
    expect(named()).toBeNull();
  });
});

describe('the conditions', () => {
  it('are reported once they have changed, whether a client or the settings app has changed them', () => {
    const phone = opened(SETTINGS);
    const isDark = () => phone.conditionChanges.map(({ dark_mode }) => dark_mode);
    expect(isDark()).toEqual([]);
    phone.device.setConditions({ dark_mode: true });
    phone.device.setConditions({ dark_mode: true });
    expect(isDark()).toEqual([true]);
    phone.tapOn('display');
    phone.advance(400);
    phone.tapOn('dark-theme');
    expect(isDark()).toEqual([true, false]);
    phone.device.setLocation({ lat: 52.5, lng: 13.4 });
    expect(phone.conditionChanges[2]).toMatchObject({ dark_mode: false, location: { lat: 52.5 } });
  });
});
