/**
 * Default durations of `long_press` and `swipe`, and the maximum duration of a gesture, in milliseconds. They are not in
 * the file with the schemas, because drivers and the console do not need the schemas.
 */
export const DEFAULT_HOLD_MS = 600;
export const DEFAULT_SWIPE_MS = 300;
export const MAX_GESTURE_MS = 60_000;

/** Maximum number of notches of one `scroll`, in each direction, since scrcpy 3.0. */
export const MAX_NOTCHES = 16;
