import { useSyncExternalStore } from 'react';
import { CloseIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { ToastList, type ToastOptions } from './toast-list.ts';

const toasts = new ToastList();

/** Shows a message for a few seconds. */
export const toast = (message: string, options?: ToastOptions): void => toasts.show(message, options);

const OVER_TITLE = {
  stack: 'top-1 right-2 left-14 items-start sm:right-84',
  // Three lines are the maximum, because they are as high as a phone's header.
  one: 'min-h-11 px-3 py-0.5 text-xs not-last:hidden [&>span]:line-clamp-3',
};

/** Position of the toasts on a page, and the look of each. */
const PLACES = {
  'over-page': {
    stack: 'inset-x-0 bottom-20 items-center px-4 sm:bottom-6',
    one: 'max-w-md px-4 py-2.5 text-sm',
  },
  /** Over the name in a phone's header, one at a time, so that neither the phone nor a button is covered. */
  'over-title': OVER_TITLE,
  /** Over the title and the time if the page is narrow, otherwise in the corner beside the phone. */
  'beside-phone': {
    stack: `${OVER_TITLE.stack} max-sm:right-36 lg:inset-auto lg:bottom-4 lg:left-4 lg:w-64`,
    one: `${OVER_TITLE.one} lg:flex! lg:px-4 lg:py-2.5 lg:text-sm lg:[&>span]:line-clamp-none`,
  },
} as const;

export function Toasts({ place }: { place: keyof typeof PLACES }) {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.list);
  const { stack, one } = PLACES[place];
  return (
    <div role="status" className={`pointer-events-none fixed z-menu flex flex-col gap-2 ${stack}`}>
      {shown.map((item) => (
        <div
          key={item.id}
          className={`appear pointer-events-auto flex items-center gap-3 rounded-xl shadow-lift ${one} ${
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
                toasts.dismiss(item.id);
              }}
            >
              {item.action.label}
            </button>
          )}
          <button type="button" aria-label={texts.session.dismiss} onClick={() => toasts.dismiss(item.id)}>
            <CloseIcon className="size-4" />
          </button>
        </div>
      ))}
    </div>
  );
}
