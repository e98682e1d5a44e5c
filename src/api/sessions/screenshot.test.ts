import { afterEach, expect, test, vi } from 'vitest';
import { BusError } from '../../bus/bus.ts';
import { SCREENSHOT_DEADLINE_MS } from '../../contract/sockets/control-deadlines.ts';
import type { ControlPlaneContext } from '../../control-plane/context.ts';
import { takeScreenshot } from '../../control-plane/take-screenshot.ts';
import type { Link } from '../../link/link.ts';
import type { SessionRow } from '../../store/entities.ts';
import { toApiError } from '../errors.ts';

const session = { id: 'ses_1', epoch: 1, hostId: 'host-1' } as SessionRow;

/** Takes a screenshot from a fake host that returns this answer and opens this link. */
function take(answer: () => Promise<{ refused?: string }>, link?: Link): Promise<Uint8Array> {
  const tickets = {
    ingest: 'ws://127.0.0.1/',
    issue: (_: object, onLink: (link: Link) => void) => {
      if (link) onLink(link);
      return { ticket: 'ticket', cancel: () => {} };
    },
  };
  const context = { bus: { request: answer }, tickets } as unknown as Pick<
    ControlPlaneContext,
    'bus' | 'tickets'
  >;
  return takeScreenshot(context, session);
}

const fails = (kind: BusError['kind']) => () => Promise.reject(new BusError(kind, 'screenshot failed'));

afterEach(() => void vi.useRealTimers());

test('answers 50300 with the error message of the phone', async () => {
  const taken = take(async () => ({ refused: 'the screen shows protected content' }));
  await expect(taken).rejects.toMatchObject({
    code: 50300,
    message: 'the phone could not take a screenshot: the screen shows protected content',
    headers: { 'retry-after': '2' },
  });
});

test('sanitises the error message of the phone', async () => {
  const taken = take(async () => ({ refused: `a\u001b[2Jb\n\u202ec${'d'.repeat(10_000)}` }));
  await expect(taken).rejects.toMatchObject({
    message: expect.stringMatching(/^the phone could not take a screenshot: a \[2Jb cd{490,500}$/),
  });
});

test('answers 40014 if the host does not serve the session yet', async () => {
  await expect(take(fails('failed'))).rejects.toMatchObject({ code: 40014 });
});

test.each([
  ['timeout', 'the phone could not take a screenshot: its host did not answer in time; try again'],
  ['no-responder', 'the phone could not take a screenshot: its host cannot be reached; try again later'],
  ['unreachable', 'the phone could not take a screenshot: its host cannot be reached; try again later'],
] as const)('answers 50300 if the response of the host is %s', async (kind, message) => {
  await expect(take(fails(kind))).rejects.toMatchObject({ code: 50300, message });
});

test('answers 50300 with an explanation if the screenshot does not arrive in time', async () => {
  vi.useFakeTimers();
  const failure = take(async () => ({})).catch((error: unknown) => toApiError(error, 'req_1'));
  await vi.advanceTimersByTimeAsync(SCREENSHOT_DEADLINE_MS);
  expect(await failure).toMatchObject({
    code: 50300,
    message: 'timed out after 25 s: the screenshot did not arrive; try again shortly',
    data: { request_id: 'req_1' },
  });
});
