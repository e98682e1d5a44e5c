import { describe, expect, test } from 'vitest';
import { groupByPhone, isNetworkSerial } from './same-phone.ts';

describe('listings with one phone identifier', () => {
  const usb = { serial: 'S1', bootId: 'boot-1', rank: 0 };
  const network = { serial: '10.0.0.7:5555', bootId: 'boot-1', rank: 1 };

  test('over USB and over the network with one boot identifier are one phone, connected over USB', () => {
    expect(groupByPhone([network, usb])).toEqual([[usb, network]]);
  });

  test('with different boot identifiers are two phones', () => {
    const other = { ...network, bootId: 'boot-2' };
    expect(groupByPhone([usb, other])).toEqual([[usb], [other]]);
  });

  test('with the same adb serial are two phones, whether or not they have responded', () => {
    const silent = { ...usb, bootId: null, rank: 2 };
    expect(groupByPhone([silent, usb])).toEqual([[usb], [silent]]);
  });

  test.each([null, ''])('are treated as one phone if one has the boot identifier %j', (bootId) => {
    const unknown = { ...network, bootId };
    expect(groupByPhone([usb, unknown])).toEqual([[usb, unknown]]);
  });
});

test.each([
  ['192.168.1.7:5555', true],
  ['[fe80::1]:5555', true],
  ['adb-2B281FDH200012-x7YzAb._adb-tls-connect._tcp', true],
  ['adb-2B281FDH200012-x7YzAb._adb-tls-connect._tcp.', true],
  ['adb-2B281FDH200012._adb._tcp', true],
  ['2B281FDH200012', false],
  ['emulator-5554', false],
])('decides whether %s is the serial of a network device: %s', (serial, expected) => {
  expect(isNetworkSerial(serial)).toBe(expected);
});
