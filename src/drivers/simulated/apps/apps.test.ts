import { describe, expect, it } from 'vitest';
import { ANDROID_META, ANDROID_KEYS as KEYS } from '../../../contract/sockets/android-keys.ts';
import { TestPhone } from '../test-phone.ts';

const SETTINGS = 'com.android.settings';
const FILES = 'com.phonebooth.files';
const NOTES = 'com.phonebooth.notes';
const PAINT = 'com.phonebooth.paint';
const BROWSER = 'com.phonebooth.browser';

function opened(app: string): TestPhone {
  const phone = TestPhone.unlocked();
  phone.device.launch(app);
  phone.advance(400);
  return phone;
}

describe('the settings app', () => {
  it('scrolls on after the finger lifts, comes to rest and stops at the end', () => {
    const phone = opened(SETTINGS);
    const top = () => phone.find('bluetooth')?.bounds.y ?? Number.NEGATIVE_INFINITY;
    const start = top();
    phone.swipe({ x: 0.5, y: 0.6 }, { x: 0.5, y: 0.5 }, 64);
    const released = top();
    expect(released).toBeLessThan(start);
    phone.advance(100);
    expect(top()).toBeLessThan(released);
    phone.advance(3000);
    expect(phone.device.animating).toBe(false);
    for (let flick = 0; flick < 5; flick++) phone.swipe({ x: 0.5, y: 0.9 }, { x: 0.5, y: 0.2 }, 64);
    phone.advance(3000);
    const about = phone.node('about').bounds;
    expect(about.y + about.height).toBeLessThan(1);
    const resting = about.y;
    phone.swipe({ x: 0.5, y: 0.9 }, { x: 0.5, y: 0.2 }, 320);
    phone.advance(1000);
    expect(phone.node('about').bounds.y).toBeCloseTo(resting, 5);
  });

  it('follows a slow finger exactly without momentum', () => {
    const phone = opened(SETTINGS);
    const start = phone.node('bluetooth').bounds.y;
    phone.device.touch({ action: 'down', pointer: 'test', at: { x: 0.5, y: 0.8 }, pressure: 1 });
    phone.device.touch({ action: 'move', pointer: 'test', at: { x: 0.5, y: 0.7 }, pressure: 1 });
    phone.advance(300);
    phone.device.touch({ action: 'up', pointer: 'test', at: { x: 0.5, y: 0.7 }, pressure: 0 });
    phone.advance(1000);
    expect(start - phone.node('bluetooth').bounds.y).toBeCloseTo(0.1, 2);
  });

  it('scrolls with the wheel', () => {
    const phone = opened(SETTINGS);
    const start = phone.node('bluetooth').bounds.y;
    phone.device.wheel({ x: 0.5, y: 0.5 }, 0, -1);
    phone.advance(300);
    expect(phone.node('bluetooth').bounds.y).toBeLessThan(start);
  });

  it('has working switches and subpages', () => {
    const phone = opened(SETTINGS);
    expect(phone.node('bluetooth').text).toBe('Bluetooth: on');
    phone.tapOn('bluetooth');
    expect(phone.node('bluetooth').text).toBe('Bluetooth: off');
    phone.swipe({ x: 0.5, y: 0.9 }, { x: 0.5, y: 0.1 }, 64);
    phone.advance(3000);
    phone.tapOn('about');
    expect(phone.node('model').text).toBe('Model: Pixel 9');
    phone.device.keyDown(KEYS.BACK, 0);
    expect(phone.node('about').text).toContain('Google Pixel 9');
  });

  it('shows the mock location of the phone', () => {
    const phone = opened(SETTINGS);
    phone.device.setLocation({ lat: 38.72, lng: -9.14 });
    phone.swipe({ x: 0.5, y: 0.8 }, { x: 0.5, y: 0.4 }, 160);
    phone.advance(2000);
    expect(phone.node('location').text).toBe('Location: on');
    expect(JSON.stringify(phone.device.uiTree())).toContain('Location');
  });
});

describe('the notes app', () => {
  function writing(): TestPhone {
    const phone = opened(NOTES);
    phone.tapOn('new-note');
    return phone;
  }
  const text = (phone: TestPhone) => phone.node('text').text;
  const press = (phone: TestPhone, code: number, meta = 0) => phone.device.keyDown(code, meta);

  it('accepts typed text in any script, and keys', () => {
    const phone = writing();
    phone.device.typeText('Żółć, Привет, 日本 👩‍👩‍👧');
    press(phone, KEYS.DEL);
    press(phone, KEYS.ENTER);
    press(phone, KEYS.A, ANDROID_META.shift);
    press(phone, KEYS['1'], ANDROID_META.shift);
    expect(text(phone)).toBe('Żółć, Привет, 日本 \nA!');
  });

  it('moves the caret with keys', () => {
    const phone = writing();
    phone.device.typeText('one\ntwo');
    press(phone, KEYS.MOVE_HOME);
    phone.device.typeText('<');
    press(phone, KEYS.DPAD_UP);
    press(phone, KEYS.MOVE_END);
    phone.device.typeText('>');
    press(phone, KEYS.DPAD_LEFT);
    press(phone, KEYS.FORWARD_DEL);
    expect(text(phone)).toBe('one\n<two');
  });

  it('accepts text from the on-screen keyboard', () => {
    const phone = writing();
    for (const key of [
      'key-shift',
      'key-h',
      'key-i',
      'key-space',
      'key-page',
      'key-1',
      'key-enter',
      'key-backspace',
    ])
      phone.tapOn(key);
    expect(text(phone)).toBe('Hi 1');
    press(phone, KEYS.BACK);
    expect(phone.find('keyboard')).toBeUndefined();
    phone.tapOn('text');
    expect(phone.find('keyboard')).toBeDefined();
  });

  it('selects a word on a long press, copies and pastes it', () => {
    const phone = writing();
    phone.device.typeText('hello world');
    const { x, y } = phone.node('text').bounds;
    phone.tap({ x: x + 0.05, y: y + 0.01 }, 700);
    phone.tapOn('copy');
    expect(phone.clipboardChanges).toEqual(['hello']);
    press(phone, KEYS.MOVE_END);
    press(phone, KEYS.PASTE);
    expect(text(phone)).toBe('hello worldhello');
    press(phone, KEYS.A, ANDROID_META.ctrl);
    press(phone, KEYS.X, ANDROID_META.ctrl);
    expect(text(phone)).toBe('');
    expect(phone.device.clipboard).toBe('hello worldhello');
  });

  it('keeps notes in a list, except empty ones', () => {
    const phone = writing();
    phone.device.typeText('Bread\nand olives');
    phone.tapOn('done');
    expect(phone.node('note-1').text).toBe('Bread');
    phone.tapOn('new-note');
    phone.tapOn('done');
    expect(phone.node('notes').children).toHaveLength(1);
    phone.tapOn('note-1');
    phone.tapOn('delete-note');
    expect(phone.find('note-1')).toBeUndefined();
  });

  it('restores the same image after a character is typed and deleted', () => {
    const phone = writing();
    phone.device.paint();
    const before = Buffer.from(phone.device.screen.pixels);
    phone.device.typeText('x');
    phone.device.paint();
    expect(before.equals(phone.device.screen.pixels)).toBe(false);
    press(phone, KEYS.DEL);
    phone.device.paint();
    expect(before.equals(phone.device.screen.pixels)).toBe(true);
  });
});

describe('the paint app', () => {
  it('draws two fingers in two colours and clears the canvas', () => {
    const phone = opened(PAINT);
    const { y, height } = phone.node('paper').bounds;
    const rows = [y + height * 0.25, y + height * 0.75];
    for (const action of ['down', 'move', 'up'] as const) {
      rows.forEach((row, pointer) => {
        const at = { x: action === 'down' ? 0.2 : 0.8, y: row };
        phone.device.touch({ action, pointer: `finger-${pointer}`, at, pressure: 1 });
      });
      phone.advance(16);
    }
    const colors = rows.map((row) => phone.pixel({ x: 0.5, y: row }));
    expect(colors).toEqual(['#1f1f24', '#d93025']);
    expect(phone.pixel({ x: 0.5, y: y + height * 0.4 })).toBe('#ffffff');
    phone.tapOn('clear');
    expect(phone.pixel({ x: 0.5, y: rows[0] ?? 0 })).toBe('#ffffff');
  });

  it('redraws only the area of a stroke', () => {
    const phone = opened(PAINT);
    phone.device.touch({ action: 'down', pointer: 'a', at: { x: 0.3, y: 0.5 }, pressure: 1 });
    phone.device.paint();
    const before = Buffer.from(phone.device.screen.pixels);
    phone.device.touch({ action: 'move', pointer: 'a', at: { x: 0.32, y: 0.5 }, pressure: 1 });
    phone.device.paint();
    const { width, height, pixels } = phone.device.screen;
    const rowBytes = width * 4;
    for (let row = 0; row < height; row++) {
      const same = before
        .subarray(row * rowBytes, (row + 1) * rowBytes)
        .equals(pixels.subarray(row * rowBytes, (row + 1) * rowBytes));
      if (Math.abs(row - height / 2) > 20) expect(same).toBe(true);
    }
  });
});

describe('the browser app', () => {
  it('opens an address, follows links and navigates back', () => {
    const phone = TestPhone.unlocked();
    phone.device.openUrl('https://example.com/garden-tools');
    phone.advance(400);
    expect(phone.node('page').text).toBe('Garden tools');
    expect(phone.node('address').text).toBe('https://example.com/garden-tools');
    phone.tapOn('link-https://example.com/about');
    expect(phone.node('page').text).toBe('About');
    phone.device.keyDown(KEYS.BACK, 0);
    expect(phone.node('page').text).toBe('Garden tools');
  });

  it('wakes and unlocks the phone when an address is opened', () => {
    const phone = new TestPhone();
    phone.device.openUrl('https://example.org/');
    expect(phone.device.front).toBe(BROWSER);
    expect(phone.device.locked).toBe(false);
  });

  it('opens the address that is typed', () => {
    const phone = opened(BROWSER);
    phone.tapOn('address');
    phone.device.typeText('example.net');
    phone.device.keyDown(KEYS.ENTER, 0);
    expect(phone.node('address').text).toBe('https://example.net/');
    expect(phone.find('keyboard')).toBeUndefined();
  });
});

describe('the files app', () => {
  const put = ({ device: { storage } }: TestPhone, path: string[], content: Buffer) => {
    const write = storage.beginWrite(path, { overwrite: true, size: null });
    storage.append(write, content);
    storage.commit(write);
  };

  it('lists folders, shows texts, and goes back', () => {
    const phone = opened(FILES);
    phone.tapOn('file-/sdcard/Documents');
    phone.tapOn('file-/sdcard/Documents/Shopping list.txt');
    expect(phone.node('file-text').text).toBe('Milk\nBread\nTomatoes\nCoffee\n');
    for (const _ of 'back and back') phone.device.keyDown(KEYS.BACK, 0);
    expect(phone.find('files-screen')).toBeUndefined();
  });

  it('shows pictures, and only the size of what is no picture', async () => {
    const phone = opened(FILES);
    put(phone, ['damaged.png'], Buffer.from('\x89PNG\r\n\x1a\n and no picture', 'latin1'));
    const bomb = Buffer.alloc(64);
    bomb.write('\x89PNG\r\n\x1a\n', 'latin1');
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    put(phone, ['large.png'], bomb);
    for (const name of ['damaged.png', 'large.png']) {
      phone.tapOn(`file-/sdcard/${name}`);
      await new Promise(setImmediate);
      expect(phone.node('file-size').text).toMatch(/^\d+ bytes$/);
      expect(phone.find('picture')).toBeUndefined();
      phone.device.keyDown(KEYS.BACK, 0);
    }
    phone.tapOn('file-/sdcard/Pictures');
    phone.tapOn('file-/sdcard/Pictures/Hills.png');
    await expect.poll(() => phone.find('picture')?.text, { timeout: 60_000 }).toBe('Hills.png');
  });

  it('shows a replaced file again, and leaves a deleted one and its folder', () => {
    const phone = opened(FILES);
    put(phone, ['Folder', 'note.txt'], Buffer.from('old'));
    phone.tapOn('file-/sdcard/Folder');
    phone.tapOn('file-/sdcard/Folder/note.txt');
    put(phone, ['Folder', 'note.txt'], Buffer.from('new'));
    phone.advance(100);
    expect(phone.node('file-text').text).toBe('new');
    phone.device.storage.remove(['Folder', 'note.txt']);
    phone.device.storage.remove(['Folder']);
    phone.advance(100);
    expect(phone.node('file-/sdcard/Documents').text).toBe('Documents');
  });
});
