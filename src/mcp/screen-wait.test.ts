import { describe, expect, test } from 'vitest';
import { ControlError } from '../client/control-socket.ts';
import type { UiNode } from '../contract/sockets/control-methods.ts';
import { RPC_ERRORS } from '../contract/sockets/rpc-errors.ts';
import { conditionOf, waitForScreen } from './screen-wait.ts';

const screen = (text: string): UiNode => ({
  role: 'screen',
  text,
  bounds: { x: 0, y: 0, width: 1, height: 1 },
});
const inMotion = () => new ControlError('could not get idle state', RPC_ERRORS.failedOnPhone);

/** Returns these screens one after the other, and then repeats the last one. */
function screens(...shown: (UiNode | Error)[]) {
  return async () => {
    const next = shown.length > 1 ? shown.shift()! : shown[0]!;
    if (next instanceof Error) throw next;
    return next;
  };
}

const limits = (timeoutMs: number) => ({ timeoutMs, signal: new AbortController().signal });
const wait = (read: () => Promise<UiNode>, wanted: Parameters<typeof conditionOf>[0], timeoutMs = 60_000) =>
  waitForScreen(read, conditionOf(wanted), limits(timeoutMs));

describe('waiting for a screen', () => {
  test('ends when a text appears, and when one disappears', async () => {
    expect(await wait(screens(screen('Loading'), screen('Done')), { text: 'done' })).toBeGreaterThan(200);
    expect(await wait(screens(screen('Loading'), screen('Done')), { gone: 'loading' })).toBeGreaterThan(200);
  });

  test('ends when nothing has changed for the given time, counted from the last change', async () => {
    expect(await wait(screens(screen('1')), { still_ms: 400 })).toBeGreaterThanOrEqual(400);
    const { isMet } = conditionOf({ still_ms: 400 });
    const shown = [
      ['1', 0],
      ['2', 250],
      ['2', 649],
      ['3', 650],
      ['3', 1_049],
      ['3', 1_050],
    ] as const;
    expect(shown.map(([text, ms]) => isMet(screen(text), ms))).toEqual([...Array(5).fill(false), true]);
  });

  test('continues while the phone cannot read a moving screen', async () => {
    await wait(screens(inMotion(), inMotion(), screen('Done')), { text: 'Done' });
  });

  test('reports on timeout what it waited for and why the screen could not be read', async () => {
    await expect(wait(screens(screen('Loading')), { text: 'Done' }, 300)).rejects.toThrow(
      'Timed out after 0.3 s: "Done" did not appear on the screen. Call read_screen to see what is there instead.',
    );
    await expect(wait(screens(inMotion()), { gone: 'Loading' }, 300)).rejects.toThrow(
      'The phone could not read its screen: could not get idle state. Call look to see the screen.',
    );
  });

  test('reports a text that did not disappear and a screen that did not settle', async () => {
    await expect(wait(screens(screen('Loading')), { gone: 'Loading' }, 300)).rejects.toThrow(
      'Timed out after 0.3 s: "Loading" did not disappear from the screen.',
    );
    await expect(wait(screens(screen('1'), screen('2')), { still_ms: 10_000 }, 300)).rejects.toThrow(
      'Timed out after 0.3 s: the screen never stayed unchanged for 10000 ms.',
    );
  });

  test('fails immediately when the phone does not support it or is gone', async () => {
    const unsupported = new ControlError('the phone does not support ui.tree', RPC_ERRORS.unsupported);
    await expect(wait(screens(unsupported), { text: 'Done' })).rejects.toBe(unsupported);
  });
});

test('requires exactly one condition', () => {
  for (const wanted of [{}, { text: 'a', gone: 'b' }, { gone: 'b', still_ms: 100 }]) {
    expect(() => conditionOf(wanted)).toThrow('Pass exactly one of `text`, `gone` and `still_ms`');
  }
});
