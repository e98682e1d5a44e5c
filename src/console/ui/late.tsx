import { type ComponentType, useLayoutEffect, useState } from 'react';

/** What became of the code: the component, or why it did not come. */
type Arrival<Props> = { component: ComponentType<Props> } | { error: unknown } | null;

/**
 * A component whose code is fetched when it is first shown; until it is there nothing is in its place. Once it came it is shown
 * at once. React's lazy() shows a fallback first, though the code be there already, and then keeps that for 300 ms
 * (`FALLBACK_THROTTLE_MS` of react-reconciler), for which a phone's picture would wait. Code that does not come is an error of the
 * page, as with lazy().
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
