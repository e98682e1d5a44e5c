import { expect, test } from 'vitest';
import { ANY_ADDRESS } from './bus.ts';
import {
  addressIn,
  CONTROL_PLANE_PERMISSIONS,
  hostPermissions,
  inboxSubject,
  isReplySubjectOf,
  queueGroup,
  randomToken,
  requestSubject,
  topicSubject,
} from './nats-subjects.ts';

test('maps every name to its literal subject', () => {
  expect(requestSubject('control-plane.report', 'h1')).toBe('phonebooth.from.h1.report');
  expect(requestSubject('control-plane.ended', 'h1')).toBe('phonebooth.from.h1.ended');
  expect(requestSubject('control-plane.app', 'h1')).toBe('phonebooth.from.h1.app');
  expect(requestSubject('control-plane.artifact', 'h1')).toBe('phonebooth.from.h1.artifact');
  expect(requestSubject('control-plane.recorded', 'h1')).toBe('phonebooth.from.h1.recorded');
  expect(requestSubject('host.orders', 'h1')).toBe('phonebooth.to.h1.orders');
  expect(requestSubject('host.dial', 'h1')).toBe('phonebooth.to.h1.dial');
  expect(topicSubject('session.changed')).toBe('phonebooth.told.session.changed');
  expect(requestSubject('control-plane.report', ANY_ADDRESS)).toBe('phonebooth.from.*.report');
  expect(queueGroup('control-plane.report')).toBe('control-plane');
  expect(queueGroup('host.dial')).toBeUndefined();
  expect(addressIn('phonebooth.from.h1.report')).toBe('h1');
});

test('places inboxes within the owner’s subscribe permissions and never reuses one', () => {
  expect(inboxSubject('host.dial', 'h1', 'x', 't')).toBe('phonebooth.inbox.control.x.t');
  expect(inboxSubject('control-plane.report', 'h1', 'x', 't')).toBe('phonebooth.inbox.host.h1.x.t');
  expect(inboxSubject('control-plane.report', ANY_ADDRESS, 'x', ANY_ADDRESS)).toBe(
    'phonebooth.inbox.host.*.x.*',
  );
  expect(randomToken()).toMatch(/^[\w-]{22}$/);
  expect(randomToken()).not.toBe(randomToken());
  expect(CONTROL_PLANE_PERMISSIONS).toEqual({
    publish: ['phonebooth.to.*.*', 'phonebooth.from.*.*', 'phonebooth.told.>'],
    subscribe: [
      'phonebooth.from.*.*',
      'phonebooth.to.*.*',
      'phonebooth.told.>',
      'phonebooth.inbox.control.*.*',
      'phonebooth.inbox.host.*.*.*',
    ],
  });
  expect(hostPermissions('h1')).toEqual({
    publish: ['phonebooth.from.h1.*'],
    subscribe: ['phonebooth.to.h1.*', 'phonebooth.inbox.host.h1.*.*'],
  });
});

const tokens = `${randomToken()}.${randomToken()}`;

test.each([
  ['its own inbox', `phonebooth.inbox.host.h1.${tokens}`, true],
  ['an inbox of the control plane', `phonebooth.inbox.control.${tokens}`, false],
  ["another host's inbox", `phonebooth.inbox.host.h2.${tokens}`, false],
  ['the inbox of a host whose id has the same prefix', `phonebooth.inbox.host.h11.${tokens}`, false],
  ['an inbox with wildcards', 'phonebooth.inbox.host.h1.*.*', false],
  ['an inbox with a short token', 'phonebooth.inbox.host.h1.x.1', false],
  ["another host's orders", 'phonebooth.to.h2.orders', false],
  ['a topic', 'phonebooth.told.session.changed', false],
])('allows the reply to a host’s request at %s: %s %s', (_where, reply, allowed) => {
  expect(isReplySubjectOf(reply, 'control-plane.report', 'h1')).toBe(allowed);
});

test('allows the reply to a control plane’s request only at a control plane’s inbox', () => {
  expect(isReplySubjectOf(`phonebooth.inbox.control.${tokens}`, 'host.dial', 'h1')).toBe(true);
  expect(isReplySubjectOf(`phonebooth.inbox.host.h1.${tokens}`, 'host.dial', 'h1')).toBe(false);
});
