import { useSyncExternalStore } from 'react';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import type { Mirror } from './mirror.ts';

const text = texts.wall;

/** Shows that input is mirrored, or why that stopped. */
export function MirrorNotice({ mirror, shown }: { mirror: Mirror; shown: number }) {
  const { isOn, ready, stopped } = useSyncExternalStore(mirror.subscribe, mirror.state);
  return (
    <div role="status">
      {(isOn || stopped) && (
        <div className="flex items-center gap-3 border-b border-warn/30 bg-warn-tint px-3 py-2 text-sm text-warn sm:px-5">
          <p className="grow font-medium">{isOn ? text.mirroring(ready, shown) : text.mirrorStopped}</p>
          <Button size="small" onClick={() => mirror.stop()}>
            {isOn ? text.stopMirror : texts.session.dismiss}
          </Button>
        </div>
      )}
    </div>
  );
}
