/** What `long_press` and `swipe` take when their `ms` is not given. Apart from the schemas, which phones do without. */
export const DEFAULT_HOLD_MS = 600;
export const DEFAULT_SWIPE_MS = 300;
