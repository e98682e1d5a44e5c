import { useEffect, useState } from 'react';
import { ConnectDialog } from '../devices/connect-dialog.tsx';
import { late } from '../ui/late.tsx';

const Palette = late({ load: async () => (await import('./palette.tsx')).Palette });

/** Opens the command palette with Ctrl + K, or ⌘K on a Mac, on every page, also while the user types on a phone. */
export function PaletteHost() {
  const [isOpen, setOpen] = useState(false);
  const [connecting, setConnecting] = useState<{ id: string; name: string } | null>(null);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (!isShortcut || event.altKey || event.shiftKey || event.isComposing) return;
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      event.stopPropagation();
      setOpen(true);
    };
    // Before the phone receives the key.
    addEventListener('keydown', pressed, { capture: true });
    return () => removeEventListener('keydown', pressed, { capture: true });
  }, []);
  return (
    <>
      {isOpen && <Palette onConnect={setConnecting} onClose={() => setOpen(false)} />}
      {connecting && <ConnectDialog device={connecting} onClose={() => setConnecting(null)} />}
    </>
  );
}
