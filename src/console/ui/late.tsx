import { type ComponentType, useLayoutEffect, useState } from 'react';

/** Result of loading the code: the component, or the error. */
type Arrival<Props> = { component: ComponentType<Props> } | { error: unknown } | null;

/**
 * A component whose code is loaded when it is first shown. Nothing is rendered until then, and once loaded it renders
 * immediately. React's lazy() always renders a fallback first, even if the code is already loaded, and keeps it for
 * 300 ms (`FALLBACK_THROTTLE_MS` of react-reconciler), which would delay a phone's first frame. As with lazy(), a failed
 * load is thrown as an error of the page.
 */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
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
          arrival = { component };
          arrive(arrival);
        },
        (error: unknown) => arrive({ error }),
      );
      return () => {
        isShown = false;
      };
    }, [current]);
    if (!current) return null;
    if ('error' in current) throw current.error;
    return <current.component {...props} />;
  };
}
