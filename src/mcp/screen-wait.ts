import { setTimeout as delay } from 'node:timers/promises';
import { ControlError } from '../client/control-socket.ts';
import type { UiNode } from '../contract/control-methods.ts';
import { RPC_ERRORS } from '../contract/rpc-errors.ts';
import { isOnScreen } from './screen-reading.ts';
import { ToolError } from './words.ts';

const POLL_MS = 250;

/** What a screen is waited to be. */
export interface Condition {
  /** `ms`: since the wait began. */
  isThere(tree: UiNode, ms: number): boolean;
  /** A clause: `"Done" is on the screen`. */
  what: string;
}

/** @throws ToolError unless exactly one is given */
export function conditionOf(wanted: { text?: string; gone?: string; still_ms?: number }): Condition {
  const { text, gone, still_ms } = wanted;
  if ([text, gone, still_ms].filter((value) => value !== undefined).length !== 1)
    throw new ToolError('Say what to wait for: give exactly one of `text`, `gone` and `still_ms`.');
  if (text !== undefined)
    return { isThere: (tree) => isOnScreen(tree, text), what: `${JSON.stringify(text)} is on the screen` };
  if (gone !== undefined)
    return {
      isThere: (tree) => !isOnScreen(tree, gone),
      what: `${JSON.stringify(gone)} is not on the screen`,
    };
  return stillness(still_ms!);
}

function stillness(stillMs: number): Condition {
  let last = '';
  let since = 0;
  return {
    isThere: (tree, ms) => {
      const now = JSON.stringify(tree);
      if (now !== last) since = ms;
      last = now;
      return ms - since >= stillMs;
    },
    what: `the screen has not changed for ${stillMs} ms`,
  };
}

/**
 * Looks again and again until it is so; how long it took, ms. Android cannot read a screen that is in motion: that is no
 * reason to give up before time is up.
 * @throws ToolError when it is not so in time
 */
export async function waitForScreen(
  read: () => Promise<UiNode>,
  { isThere, what }: Condition,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const { tree, problem } = await readIfPossible(read);
    const ms = performance.now() - startedAt;
    if (tree && isThere(tree, ms)) return ms;
    if (ms > timeoutMs) {
      const unread = problem === null ? '' : ` The phone could not read its screen: ${problem}.`;
      const next =
        problem === null ? 'Call read_screen to see what is there instead.' : 'Call look to see it.';
      throw new ToolError(`Not within ${timeoutMs / 1000} s: ${what}.${unread} ${next}`);
    }
    await delay(POLL_MS, undefined, { signal });
  }
}

async function readIfPossible(
  read: () => Promise<UiNode>,
): Promise<{ tree: UiNode | null; problem: string | null }> {
  try {
    return { tree: await read(), problem: null };
  } catch (error) {
    if (!(error instanceof ControlError) || error.code !== RPC_ERRORS.failedOnPhone) throw error;
    return { tree: null, problem: error.message };
  }
}
