import { expect, test } from 'vitest';
import { CONTROL_METHODS, type ControlMethod } from '../contract/sockets/control-methods.ts';
import { checkParams } from './check-params.ts';

test.each([
  ['tap', { x: 1.5, y: 0 }, 'params.x must be between 0 and 1'],
  ['tap', { x: 'left', y: 0 }, 'params.x must be a number'],
  ['tap', { x: 0 }, 'params.y is required'],
  ['tap', { x: 0, y: 0, z: 0 }, 'params.z is not a parameter of this method; its parameters are x, y'],
  ['log.start', { level: 'E' }, 'params.level is not a parameter of this method; it has none'],
  ['tap', [0, 0], 'params must be an object'],
  ['tap', null, 'params must be an object'],
  ['long_press', { x: 0, y: 0, ms: 1.5 }, 'params.ms must be a whole number'],
  ['long_press', { x: 0, y: 0, ms: 0 }, 'params.ms must be between 1 and 60000'],
  ['touch', { action: 'hover', x: 0, y: 0 }, 'params.action must be one of down, move, up, cancel'],
  ['power', { on: 1 }, 'params.on must be true or false'],
  ['shell', { command: '' }, 'params.command must not be empty'],
  ['text', { text: 'x'.repeat(60_001) }, 'params.text must have at most 60000 characters'],
  ['key', { key: 'home' }, 'params.key must be the name of an Android key, such as HOME or VOLUME_UP'],
  ['conditions.set', { dark_mode: 'on' }, 'params.dark_mode must be true or false'],
  ['conditions.set', { font_scale: 3 }, 'params.font_scale must be between 0.85 and 2'],
  [
    'conditions.set',
    { proxy: 'example.com' },
    'params.proxy must be host:port, such as proxy.example.com:8080, or none',
  ],
  ['conditions.set', { location: 'Paris' }, 'params.location must be an object with lat and lng'],
  ['conditions.set', { location: { lat: 91, lng: 0 } }, 'params.location.lat must be between -90 and 90'],
  ['conditions.set', { location: { lat: 0 } }, 'params.location must be an object with lat and lng'],
  ['session.extend', { duration: 0 }, 'params.duration must be between 1 and 10080'],
] as const)('%s %j: %s', (method, params, message) => {
  expect(() => checkParams(method, params)).toThrow(
    expect.objectContaining({ message, code: -32602, data: expect.objectContaining({ code: 40000 }) }),
  );
});

test('lists every invalid field in the error data', () => {
  expect(() => checkParams('swipe', { x1: 2, y1: -1, x2: 0 })).toThrow(
    expect.objectContaining({
      data: {
        code: 40000,
        errors: expect.arrayContaining([{ field: 'params.y2', message: 'is required' }]),
      },
    }),
  );
});

test('rejects excess unknown parameters even if the error cannot list them all', () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`a/${n}`, 1]));
  for (const params of [
    { x: 0, y: 0, ...many },
    { ...many, x: 7, y: 0 },
  ]) {
    const message = 'params.a/0 is not a parameter of this method; its parameters are x, y';
    expect(() => checkParams('tap', params)).toThrow(expect.objectContaining({ message, code: -32602 }));
  }
});

test('applies defaults', () => {
  expect(checkParams('touch', { action: 'down', x: 0, y: 1 })).toEqual({
    action: 'down',
    x: 0,
    y: 1,
    pointer: 0,
    pressure: 1,
  });
  expect(checkParams('key', { key: 'HOME' })).toEqual({ key: 'HOME', action: 'press', meta: 0 });
});

test('the parameters of every method are scalars or flat objects, as the error messages assume', () => {
  for (const method of Object.keys(CONTROL_METHODS) as ControlMethod[]) {
    const { properties } = CONTROL_METHODS[method].params as { properties?: Record<string, object> };
    for (const property of Object.values(properties ?? {})) {
      const { properties: inner } = property as { properties?: Record<string, object> };
      for (const field of Object.values(inner ?? {})) expect(field).not.toHaveProperty('properties');
    }
  }
});
