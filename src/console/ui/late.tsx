import { type ComponentType, Fragment, type ReactNode, useLayoutEffect, useState } from 'react';
import { LoadFailure, PageLoadFailure } from './load-failure.tsx';
import { markLoaded } from './reload-once.ts';

interface LateOptions<Props> {
  /**
   * Name of the page, for which the browser is reloaded once if the code cannot be loaded. Parts of a page have none,
   * because a reload would interrupt the use of the rest of the page.
   */
  page?: string;
  load(): Promise<ComponentType<Props>>;
  /** Surrounds the message that the code cannot be loaded. */
  frame?: ComponentType<{ children: ReactNode }>;
}

/** Result of loading the code: the component, or `failed`. */
type Arrival<Props> = { component: ComponentType<Props> } | 'failed' | null;

/**
 * A component whose code is loaded when it is first shown. Nothing is rendered until then, and once loaded it renders
 * immediately. React's lazy() always renders a fallback first, even if the code is already loaded, and keeps it for
 * 300 ms (`FALLBACK_THROTTLE_MS` of react-reconciler), which would delay a phone's first frame. If the code cannot be
 * loaded, a message appears in place of the component.
 */
export function late<Props extends object>({
  page,
  load,
  frame: Frame = Fragment,
}: LateOptions<Props>): ComponentType<Props> {
  let arrival: Arrival<Props> = null;
  return function Late(props: Props) {
    const [current, setCurrent] = useState(arrival);
    useLayoutEffect(() => {
      if (current) return;
      let isShown = true;
      const arrive = (next: Arrival<Props>) => {
        if (isShown) setCurrent(next);
      };
      load().then(
        (component) => {
          if (page !== undefined) markLoaded(page);
          arrival = { component };
          arrive(arrival);
        },
        (error: unknown) => {
          // The browser logs a request that failed, but not an exception in the code that was loaded.
          reportError(error);
          arrive('failed');
        },
      );
      return () => {
        isShown = false;
      };
    }, [current]);
    if (!current) return null;
    if (current === 'failed') {
      return <Frame>{page === undefined ? <LoadFailure /> : <PageLoadFailure page={page} />}</Frame>;
    }
    return <current.component {...props} />;
  };
}
