import type { UiNode } from '../../../src/contract/sockets/control-methods.ts';
import { parseScrcpyControl } from '../../../src/contract/sockets/scrcpy-control.ts';
import { inject } from '../../../src/drivers/simulated/injection.ts';
import { TestPhone } from '../../../src/drivers/simulated/test-phone.ts';
import { type Target, unlessRefused } from '../engine/target.ts';
import { SCRCPY_MESSAGES } from '../kit/control-samples.ts';
import { joined, split } from '../kit/framing.ts';

const MAX_STEPS = 24;
const STEP_MS = 48;
const MESSAGE = 0;
const TAP = 1;

const message = (bytes: Buffer) => Buffer.concat([Buffer.of(MESSAGE), bytes]);
const tap = (node: number) => Buffer.of(TAP, node);

/** Drives a simulated phone with control messages and with taps on elements of its screen. */
export const target: Target = {
  maxBytes: 1_000,
  maxMs: 5_000,
  seeds: () => [
    ...SCRCPY_MESSAGES.map((each) => joined([tap(1), message(each), tap(7)])),
    joined([...SCRCPY_MESSAGES.slice(-4).map(message), tap(4), tap(9), tap(14)]),
    joined(SCRCPY_MESSAGES.map(message)),
  ],
  run: (input) => {
    const phone = TestPhone.unlocked();
    const { device } = phone;
    const borrower = { device, requestKeyframe: () => {}, sendClipboard: () => {} };
    let steps = 0;
    for (const [kind, ...bytes] of split(input)) {
      if (++steps > MAX_STEPS) break;
      if (kind === TAP) tapOne(phone, bytes[0] ?? 0);
      else if (isMessage(bytes)) inject(borrower, Uint8Array.from(bytes));
      phone.advance(STEP_MS);
    }
    check(device.uiTree());
    if (phone.timers > 100) throw new Error(`too many timers: ${phone.timers}`);
  },
};

const isMessage = (bytes: number[]) =>
  unlessRefused([RangeError], () => parseScrcpyControl(Uint8Array.from(bytes))) !== null;

function tapOne(phone: TestPhone, index: number): void {
  const nodes = [...flat(phone.device.uiTree())];
  const { x, y, width, height } = nodes[index % nodes.length]!.bounds;
  phone.tap({ x: x + width / 2, y: y + height / 2 });
}

function* flat(node: UiNode): Generator<UiNode> {
  yield node;
  for (const child of node.children ?? []) yield* flat(child);
}

function check({ bounds, children = [] }: UiNode): void {
  if (!Object.values(bounds).every(Number.isFinite))
    throw new Error(`invalid node bounds ${Object.values(bounds)}`);
  for (const child of children) check(child);
}
