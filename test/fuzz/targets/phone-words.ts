import type { UiNode } from '../../../src/contract/sockets/control-methods.ts';
import { parseLabels } from '../../../src/drivers/android/control/app-methods.ts';
import { parseLogLine } from '../../../src/drivers/android/control/logcat.ts';
import { parseUiTree } from '../../../src/drivers/android/control/ui-tree.ts';
import { parseProperties } from '../../../src/drivers/android/phone-description.ts';
import { parseEncoders } from '../../../src/drivers/android/scrcpy/encoders.ts';
import { parseLockSettings, parseTrust } from '../../../src/drivers/android/screen-lock.ts';
import type { Target } from '../engine/target.ts';

const NODE =
  'text="5 &gt; 4 &#128075; &#x41;" class="android.widget.Button" clickable="true" bounds="[0,0][10,20]"';

/** Parses the output of programs on a phone. */
export const target: Target = {
  // Large enough that a parser with quadratic running time exceeds the time limit.
  maxBytes: 32 * 1024,
  maxMs: 300,
  seeds: () =>
    [
      '1700000000.250  1234  5678 W Activity Manager: killed: 12 kB',
      `<?xml version='1.0'?><hierarchy rotation="0"><node ${NODE}><node ${NODE} /></node></hierarchy>`,
      '[ro.product.brand]: [google]\n[sys.boot_completed]: [1]\n',
      ' * Settings                       com.android.settings\n - Two Words          org.acme.two_words\n',
      '--video-codec=h264 --video-encoder=OMX.google.h264.encoder  (sw) (alias for c2.android.avc.encoder)\n',
      '  CredentialType: Pin\nUser "x" (id=0) (current): deviceLocked=1',
    ].map((text) => Buffer.from(text)),
  run: (input) => {
    const text = input.toString();
    for (const line of text.split('\n')) parseLogLine(line);
    for (const read of [parseLabels, parseProperties, parseEncoders, parseLockSettings, parseTrust])
      read(text);
    check(parseUiTree(text));
  },
};

function check({ bounds, children = [] }: UiNode): void {
  if (!Object.values(bounds).every(Number.isFinite))
    throw new Error(`invalid node bounds ${Object.values(bounds)}`);
  for (const child of children) check(child);
}
