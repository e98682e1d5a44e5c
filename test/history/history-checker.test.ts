import { describe, expect, test } from 'vitest';
import type { History } from './history.ts';
import { checkHistory } from './history-checker.ts';
import {
  A,
  A_OVER,
  about,
  asked,
  B,
  B_OVER,
  connect,
  extend,
  good,
  isoAt,
  longer,
  MINUTE,
  over,
  session,
  up,
  usage,
} from './history-sample.ts';

/** Applies a test's change to the valid history and returns what the checker reports. */
function check(change: (history: History, account: History['accounts'][0]) => void): string[] {
  const history = structuredClone(good());
  change(history, history.accounts[0]!);
  return checkHistory(history);
}

/** Adds a third session to the history, of one minute and on another phone. */
function third(history: History, { from, to }: { from: number; to: number }): void {
  const began = session('c', { from, minutes: 1, device_id: 'phone-2' });
  const ended = over(up(began, from), to, 1);
  const deviceId = 'phone-2';
  history.operations.push(
    asked(from, { do: 'connect', deviceId, minutes: 1, key: 'key-4' }, began),
    about('disconnect', to, 'c', ended),
  );
  history.accounts[0]!.sessions.push(ended);
  history.accounts[0]!.usage.minutes.used += 1;
}

test('accepts a consistent history', () => {
  expect(check(() => {})).toEqual([]);
});

test('accepts both outcomes of an unanswered request', () => {
  const happened = check(({ operations }, account) => {
    operations.push(connect(80_000, null, { key: 'key-9', minutes: 3 }));
    account.sessions.push(over(session('x', { from: 80_010, minutes: 3 }), 80_100, 0, 'start_timeout'));
  });
  const extended = check(({ operations }, account) => {
    operations.push(extend(500, 'a', null));
    account.sessions[1] = longer(A_OVER, 1);
    operations.find(({ calledAt }) => calledAt === 920)!.answer!.data = longer(A_OVER, 1);
  });
  const neither = check(({ operations }) => {
    operations.push(connect(80_000, null, { key: 'key-9' }), extend(500, 'a', null));
  });
  expect([happened, extended, neither]).toEqual([[], [], []]);
});

describe('detects', () => {
  const cases: [string, RegExp, (history: History, account: History['accounts'][0]) => void][] = [
    [
      'an acknowledged session that is missing',
      /^lost: .* there is no such session/,
      (_, account) => {
        account.sessions.shift();
        account.usage.minutes.used -= 1;
      },
    ],
    [
      'an acknowledged end that was replaced by another',
      /^lost \(ended twice\)/,
      (_, account) => {
        account.sessions[1] = over(up(longer(A, 1), 200), 950, 1, 'admin');
      },
    ],
    [
      'an acknowledged extension that was lost',
      /^lost \(the number of minutes decreased\)/,
      (_, account) => {
        account.sessions[1] = over(up(A, 200), 900, 1);
      },
    ],
    [
      'an extension without a request',
      /reserves other minutes than the 3/,
      (_, account) => {
        account.sessions[1] = longer(A_OVER, 2);
      },
    ],
    [
      'a session without a request',
      /^no request for session x/,
      (_, account) => {
        account.sessions.push(over(session('x', { from: 80_000, minutes: 1 }), 80_100, 0, 'start_timeout'));
      },
    ],
    [
      'an end without a request',
      /disconnected without a request/,
      (history) => {
        history.operations = history.operations.filter(({ request }) => request.do !== 'disconnect');
      },
    ],
    [
      'one connect that created two sessions, only one of which was returned',
      /^no request for session x/,
      ({ operations }, account) => {
        operations.push(connect(90, null));
        account.sessions.push(over(session('x', { from: 80_000, minutes: 2 }), 80_100, 0, 'start_timeout'));
      },
    ],
    [
      'two sessions for one idempotency key',
      /^one key, two answers/,
      ({ operations }) => {
        const again = operations.find(({ calledAt }) => calledAt === 1_090)!;
        again.request = { do: 'connect', deviceId: 'phone-1', minutes: 1, key: 'key-1' };
      },
    ],
    [
      'a replay that was rejected although the original was granted',
      /^one key, two answers/,
      ({ operations }) => {
        operations.push(connect(500, { reason: 'in_use' }, { code: 40010 }));
      },
    ],
    [
      'one session for two idempotency keys',
      /a was returned for two keys/,
      ({ operations }) => {
        operations.push(connect(140, A, { key: 'key-8' }));
      },
    ],
    [
      'two overlapping sessions on one phone in the database',
      /^two sessions on phone phone-1/,
      (_, account) => {
        account.sessions[1] = { ...A_OVER, ended_at: isoAt(1_101) };
      },
    ],
    [
      'two overlapping sessions on one phone as clients observed them, whatever the database says',
      /^two sessions on phone phone-1/,
      ({ operations }) => {
        for (const operation of operations) {
          if (operation.request.do === 'disconnect') operation.calledAt += 1_000;
          if (operation.answer && operation.calledAt === 1_920) operation.answer.at = 1_930;
        }
      },
    ],
    [
      'a phone granted to an account while another account has it',
      /^two sessions on phone phone-1/,
      (history, account) => {
        const theirs = over(session('z', { from: 500, minutes: 1 }), 600, 0, 'start_timeout');
        const key = 'key-z';
        history.operations.push({
          ...connect(500, session('z', { from: 500, minutes: 1 }), { key, minutes: 1 }),
          account: 'other',
        });
        history.accounts.push({ ...account, name: 'other', usage: usage(0), sessions: [theirs] });
      },
    ],
    [
      'more concurrent sessions than the account is allowed',
      /^overspent: acme held 2 of 1 sessions/,
      (history) => third(history, { from: 500, to: 800 }),
    ],
    [
      'more reserved minutes than the account is allowed',
      /^overspent: acme held \d of 2 minutes/,
      (_, account) => {
        account.limits.minutes = 2;
      },
    ],
    [
      'more charged minutes than the account is allowed',
      /^overspent: acme held 3 of 2 minutes/,
      (history, account) => {
        history.operations = history.operations.filter(
          ({ request }) => request.do !== 'usage' && request.do !== 'extend',
        );
        const ended = over(up(A, 200), 900, 1);
        account.sessions[1] = ended;
        history.operations.find(({ calledAt }) => calledAt === 920)!.answer!.data = ended;
        third(history, { from: 90_000, to: 90_100 });
        account.limits.minutes = 2;
      },
    ],
    [
      'a usage above the limit',
      /^overspent by its own account/,
      ({ operations }) => {
        operations.push(asked(450, { do: 'usage' }, usage(6)));
      },
    ],
    [
      'a rejection for a quota that was not used up',
      /^rejected without a reason/,
      ({ operations }) => {
        const shortfall = { kind: 'minutes', limit: 5, used: 3, requested: 2 };
        operations.push(connect(450, shortfall, { key: 'key-7', code: 40011 }));
      },
    ],
    [
      'a session that was settled twice',
      /^not settled exactly once: acme was charged 2 minutes .* 1 used/,
      (_, account) => {
        account.usage.minutes.used = 1;
      },
    ],
    [
      'a reservation that was never settled',
      /^not settled exactly once/,
      (_, account) => {
        account.usage = usage(3, { reserved: 1, live: 0 });
      },
    ],
    [
      'a charge that does not match the times of the session',
      /has a wrong charge instead of 1/,
      (_, account) => {
        account.sessions[0] = { ...B_OVER, minutes_charged: 0 };
      },
    ],
    [
      'a session that ended late',
      /ended late/,
      (_, account) => {
        account.sessions[0] = { ...B_OVER, ended_at: isoAt(1_100 + MINUTE + 5_001), minutes_charged: 1 };
      },
    ],
    [
      'a session that expired too early',
      /expired early/,
      (_, account) => {
        account.sessions[0] = { ...B_OVER, ended_at: isoAt(1_100 + MINUTE - 1) };
      },
    ],
    [
      'a session that outlives its expiry',
      /session b has not ended/,
      (_, account) => {
        account.sessions[0] = up(B, 1_200);
      },
    ],
    [
      'an answer that a session has ended before one that it is live',
      /^the status moved backwards/,
      ({ operations }) => {
        operations.push(about('read', 960, 'a', longer(up(A, 200), 1)));
      },
    ],
    [
      'an extension of a session that had ended',
      /^an ended session was extended/,
      ({ operations }, account) => {
        operations.push(extend(70_500, 'b', { message: 'it has ended' }, 40013));
        operations.push(extend(70_600, 'b', longer(up(B, 1_200), 1)));
        account.sessions[0] = longer(B_OVER, 1);
      },
    ],
    [
      'two extensions of which only one took effect',
      /^the number of minutes decreased/,
      ({ operations }) => {
        operations.push(extend(500, 'a', longer(up(A, 200), 1)));
      },
    ],
    [
      'an answer about another session',
      /^not what was requested/,
      ({ operations }) => {
        operations.push(about('read', 500, 'a', B));
      },
    ],
    [
      'a disconnect that was acknowledged but not executed',
      /^not what was requested/,
      ({ operations }) => {
        operations.push(about('disconnect', 500, 'a', longer(up(A, 200), 1)));
      },
    ],
    [
      'a session that does not exist according to an answer to its owner',
      /^unexpected: .*40005/,
      ({ operations }) => {
        operations.push(asked(500, { do: 'read', sessionId: 'a' }, {}, 40005));
      },
    ],
  ];
  test.each(cases)('%s', (_, expected, change) => {
    expect(check(change).filter((what) => expected.test(what))).not.toEqual([]);
  });
});
