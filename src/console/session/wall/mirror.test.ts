import { expect, test } from 'vitest';
import { Mirror, type MirroredPhone } from './mirror.ts';

function create() {
  const sent: unknown[] = [];
  const mirror = new Mirror();
  const set = (id: string, rest: Partial<MirroredPhone> = {}) =>
    mirror.set(id, {
      ...{ orientation: 'portrait', isReady: true },
      send: (method, params) => sent.push([id, method, params]),
      ...rest,
    });
  set('a');
  set('b');
  set('c');
  return { sent, mirror, set };
}

test('sends input to the other phones only while it is switched on', () => {
  const { sent, mirror, set } = create();
  mirror.send('a', 'key', { key: 'HOME' });
  expect(sent).toEqual([]);
  mirror.start();
  set('c', { isReady: false });
  expect(mirror.state()).toEqual({ isOn: true, ready: 2, stopped: null });
  mirror.send('a', 'key', { key: 'HOME' });
  mirror.send('a', 'rotate', {});
  mirror.send('a', 'app.uninstall', { package: 'x' });
  expect(sent).toEqual([['b', 'key', { key: 'HOME' }]]);
});

test('stops when the orientations differ, and lifts the fingers that are down', () => {
  const { sent, mirror, set } = create();
  mirror.start();
  mirror.send('a', 'touch', { action: 'down', pointer: 0, x: 0.5, y: 0.5 });
  set('a', { orientation: 'landscape' });
  expect(mirror.state()).toEqual({ isOn: false, ready: 0, stopped: 'orientation' });
  expect(sent.slice(2)).toEqual(
    ['b', 'c'].map((id) => [id, 'touch', { action: 'cancel', pointer: 0, x: 0.5, y: 0.5 }]),
  );
  mirror.send('a', 'key', { key: 'HOME' });
  expect(sent).toHaveLength(4);
  mirror.start();
  expect(mirror.state()).toMatchObject({ isOn: false, stopped: 'orientation' });
});
