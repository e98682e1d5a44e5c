import { setTimeout as delay } from 'node:timers/promises';
import { ControlError } from '../client/control-socket.ts';
import type { UiNode } from '../contract/sockets/control-methods.ts';
import { RPC_ERRORS } from '../contract/sockets/rpc-errors.ts';
import { ToolError } from './error-messages.ts';
import { isOnScreen } from './screen-reading.ts';

const POLL_MS = 250;

/** What a wait waits for. */
export interface Condition {
  /** @param ms time since the wait began */
  isMet(tree: UiNode, ms: number): boolean;
  /** A clause that describes the met condition: `"Done" is on the screen`. */
  met: string;
  /** A clause that describes a condition that was not met in time: `"Done" did not appear on the screen`. */
  unmet: string;
}

/** @throws ToolError unless exactly one is given */
export function conditionOf(wanted: { text?: string; gone?: string; still_ms?: number }): Condition {
  const { text, gone, still_ms } = wanted;
  if ([text, gone, still_ms].filter((value) => value !== undefined).length !== 1)
    throw new ToolError('Pass exactly one of `text`, `gone` and `still_ms`.');
  if (text !== undefined)
    return {
      isMet: (tree) => isOnScreen(tree, text),
      met: `${JSON.stringify(text)} is on the screen`,
      unmet: `${JSON.stringify(text)} did not appear on the screen`,
    };
  if (gone !== undefined)
    return {
      isMet: (tree) => !isOnScreen(tree, gone),
      met: `${JSON.stringify(gone)} is not on the screen`,
      unmet: `${JSON.stringify(gone)} did not disappear from the screen`,
    };
  return stillness(still_ms!);
}

function stillness(stillMs: number): Condition {
  let last = '';
  let since = 0;
  return {
    isMet: (tree, ms) => {
      const now = JSON.stringify(tree);
      if (now !== last) since = ms;
      last = now;
      return ms - since >= stillMs;
    },
    met: `the screen has not changed for ${stillMs} ms`,
    unmet: `the screen never stayed unchanged for ${stillMs} ms`,
  };
}

/**
 * Reads the screen until the condition is met, and returns how long that took, ms. Android cannot read a screen
 * during an animation, so a failed reading does not end the wait.
 * @throws ToolError when the condition is not met in time
 */
export async function waitForScreen(
  read: () => Promise<UiNode>,
  { isMet, unmet }: Condition,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const { tree, problem } = await readIfPossible(read);
    const ms = performance.now() - startedAt;
    if (tree && isMet(tree, ms)) return ms;
    if (ms > timeoutMs) {
      const unread = problem === null ? '' : ` The phone could not read its screen: ${problem}.`;
      const next =
        problem === null ? 'Call read_screen to see what is there instead.' : 'Call look to see the screen.';
      throw new ToolError(`Timed out after ${timeoutMs / 1000} s: ${unmet}.${unread} ${next}`);
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
