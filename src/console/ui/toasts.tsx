import { useSyncExternalStore } from 'react';
import { CloseIcon } from '../icons.tsx';
import { texts } from '../texts.ts';

interface Toast {
  id: number;
  message: string;
  tone: 'plain' | 'bad';
  action?: { label: string; run(): void } | undefined;
}

const LIFETIME_MS = 6_000;
/** More than this at once is noise: the oldest go. */
const MOST = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => set(toasts.filter((toast) => toast.id !== id));

/** Says something for a few seconds. The same words are not said twice at once. */
export function toast(
  message: string,
  options: { tone?: Toast['tone']; action?: Toast['action'] } = {},
): void {
  if (toasts.some((shown) => shown.message === message && !options.action)) return;
  lastId += 1;
  const id = lastId;
  set([...toasts, { id, message, tone: options.tone ?? 'plain', action: options.action }].slice(-MOST));
  setTimeout(() => dismiss(id), LIFETIME_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 bottom-20 z-30 flex flex-col items-center gap-2 px-4 sm:bottom-6"
    >
      {shown.map((item) => (
        <div
          key={item.id}
          className={`appear pointer-events-auto flex max-w-md items-center gap-3 rounded-xl px-4 py-2.5 text-sm shadow-lift ${
            item.tone === 'bad' ? 'bg-bad-tint text-bad' : 'bg-strong text-on-strong'
          }`}
        >
          <span className="grow">{item.message}</span>
          {item.action && (
            <button
              type="button"
              className="font-semibold whitespace-nowrap underline underline-offset-2"
              onClick={() => {
                item.action?.run();
                dismiss(item.id);
              }}
            >
              {item.action.label}
            </button>
          )}
          <button type="button" aria-label={texts.session.dismiss} onClick={() => dismiss(item.id)}>
            <CloseIcon className="size-4" />
          </button>
        </div>
      ))}
    </div>
  );
}
