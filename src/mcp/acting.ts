import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { UiNode } from '../contract/sockets/control-methods.ts';
import { errorMessage, ToolError } from './error-messages.ts';
import type { HeldPhone } from './held-phone.ts';
import { crashedApp } from './phone-log.ts';
import { pictureOf } from './picture.ts';
import { conditionOf, waitForScreen } from './screen-wait.ts';
import { ACTS, type Content, fields, type Tool, type ToolCall, tool, whichPhone } from './tool.ts';

/** The screen counts as settled when it has not changed for this long, ms. */
const STILL_MS = 250;
/** Maximum time to wait for a screen to settle, ms. After it, the screen is described as it is. */
const SETTLE_MS = 4_000;
const MAX_CHARS = 12_000;

export type Show = 'text' | 'image' | 'none';

/** The argument that selects how a tool returns the screen that its action has led to. */
export const showAfter = (initial: Show) => ({
  show: Type.Optional(
    Type.Enum(['text', 'image', 'none'], {
      default: initial,
      description:
        'How to return the screen after the action: as read_screen does, as a screenshot, or not at all',
    }),
  ),
});

/**
 * Declares a tool that acts on a phone and returns the changed screen in the same call, so that the model does not need
 * a second call to see the effect.
 */
export function actingTool<T extends Record<string, TSchema>>(definition: {
  name: string;
  title: string;
  description: string;
  arguments: T;
  effect?: Tool['effect'];
  /** How the screen is returned if the model does not ask for anything else. */
  show?: Show;
  /** Time for which the screen must be unchanged, ms, for actions that take effect late. */
  stillMs?: number;
  deadlineMs?: () => number;
  run: (args: Static<TObject<T>>, phone: HeldPhone, call: ToolCall) => Promise<string>;
}): Tool {
  const { arguments: own, effect = ACTS, show: initial = 'text', stillMs, run, ...rest } = definition;
  return tool({
    ...rest,
    effect,
    input: fields({ ...whichPhone, ...own, ...showAfter(initial) }) as TObject,
    run: async (args, call) => {
      const { phone: name, show = initial, ...more } = args as { phone?: string; show?: Show };
      const phone = call.phones.pick(name);
      const done = await run(more as Static<TObject<T>>, phone, call);
      return [{ type: 'text', text: done }, ...(await screenAfter(phone, show, call, stillMs))];
    },
  });
}

/** Waits until the screen has settled, and returns it. A screen that cannot be read does not make the action fail. */
export async function screenAfter(
  phone: HeldPhone,
  show: Show,
  { phones, signal }: ToolCall,
  stillMs = STILL_MS,
): Promise<Content> {
  phone.touched();
  if (show === 'none') return crashNotice(phone);
  const settled = settledTree(phone, stillMs, signal);
  // A screenshot is possible even of a phone that cannot list its elements.
  const shown =
    show === 'text'
      ? settled.then((tree) => describe(phone, tree))
      : settled.catch(() => null).then(() => pictureOf(phones, phone.session.id, { signal }));
  const content = await shown.catch((error: unknown) => {
    signal.throwIfAborted();
    return textOf(`The screen could not be read. ${errorMessage(error) ?? 'Call look to see it.'}`);
  });
  return [...content, ...crashNotice(phone)];
}

function describe(phone: HeldPhone, tree: UiNode): Content {
  const text = phone.describe(phone.accept(tree), MAX_CHARS);
  if (text === null) return textOf('The screen has not changed. If the effect takes time, call wait_for.');
  if (text === '') return textOf('No readable element is on the screen now. Call look to see it.');
  return textOf(`The screen now:\n${text}`);
}

/** @throws ControlError when the phone cannot list its elements; ToolError when it could not in time */
async function settledTree(phone: HeldPhone, stillMs: number, signal: AbortSignal): Promise<UiNode> {
  let last: UiNode | null = null;
  const read = async () => {
    last = await phone.readTree(signal);
    return last;
  };
  try {
    await waitForScreen(read, conditionOf({ still_ms: stillMs }), { timeoutMs: SETTLE_MS, signal });
  } catch (error) {
    if (!(error instanceof ToolError) || !last) throw error;
  }
  return last!;
}

function crashNotice(phone: HeldPhone): Content {
  const apps = phone.log.takeCrashes().map(crashedApp);
  return apps.length === 0 ? [] : textOf(`Crashed: ${apps.join(', ')}. Call read_crashes for the reports.`);
}

const textOf = (text: string): Content => [{ type: 'text', text }];
