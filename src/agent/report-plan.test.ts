import { expect, test } from 'vitest';
import type { PhoneStatus } from '../bus/messages.ts';
import { ReportPlan } from './report-plan.ts';

function phone(id: string, { cleanEpoch = 0, isSettled = true } = {}) {
  const description = {
    id,
    name: id,
    brand: 'acme',
    model: 'm',
    os_version: '1',
    screen_size: '6',
    resolution: '1x1',
  };
  const status: PhoneStatus = { description, usable: true, problem: null, cleanEpoch, lease: null };
  return { status, isSettled };
}

/** Whether the report is complete, followed by the ids of the phones that it names. */
function send(plan: ReportPlan, phones: ReturnType<typeof phone>[], isTaken = true): [boolean, ...string[]] {
  const { report, onAccepted } = plan.next(phones);
  if (isTaken) onAccepted();
  return [report.complete, ...report.phones.map(({ description }) => description.id)];
}

const never = () => new ReportPlan({ heartbeatMs: Number.POSITIVE_INFINITY });

test('names only changed phones, once each, after a complete report', () => {
  const plan = never();
  expect(send(plan, [phone('a'), phone('b')])).toEqual([true, 'a', 'b']);
  expect(send(plan, [phone('a'), phone('b')])).toEqual([false]);
  expect(send(plan, [phone('a'), phone('b', { cleanEpoch: 1 })])).toEqual([false, 'b']);
  expect(send(plan, [phone('a'), phone('b', { cleanEpoch: 1 })])).toEqual([false]);
  expect(send(plan, [phone('a'), phone('b', { cleanEpoch: 1 }), phone('c')])).toEqual([false, 'c']);
});

test('names an unsettled phone in every report until it settles', () => {
  const plan = never();
  send(plan, [phone('a')]);
  expect(send(plan, [phone('a', { isSettled: false })])).toEqual([false, 'a']);
  expect(send(plan, [phone('a', { isSettled: false })])).toEqual([false, 'a']);
  expect(send(plan, [phone('a')])).toEqual([false]);
});

test('sends a complete report after an unacknowledged report, a removed phone or a request to start over', () => {
  const plan = never();
  const [a, b] = [phone('a'), phone('b')];
  send(plan, [a, b]);
  expect(send(plan, [a, b], false)).toEqual([false]);
  expect(send(plan, [a, b], false)).toEqual([true, 'a', 'b']);
  expect(send(plan, [a, b])).toEqual([true, 'a', 'b']);
  expect(send(plan, [a])).toEqual([true, 'a']);
  expect(send(plan, [a])).toEqual([false]);
  plan.requireComplete();
  expect(send(plan, [a])).toEqual([true, 'a']);
  expect(send(plan, [a])).toEqual([false]);
});

test('makes every report complete once the heartbeat interval has passed', () => {
  const plan = new ReportPlan({ heartbeatMs: 0 });
  expect(send(plan, [phone('a')])).toEqual([true, 'a']);
  expect(send(plan, [phone('a')])).toEqual([true, 'a']);
});
