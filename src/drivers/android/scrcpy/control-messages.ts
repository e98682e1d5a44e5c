import { encodeScrcpyControl } from '../../../contract/sockets/scrcpy-control.ts';

/** A position in the video, as fractions of its size, and the video's current size. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const keyMessage = (action: number, keycode: number, meta: number) =>
  encodeScrcpyControl({ type: 'key', action, keycode, repeat: 0, meta });

export const touchMessage = (action: number, pointer: number, place: Place, pressure: number) =>
  encodeScrcpyControl({
    type: 'touch',
    action,
    pointer: BigInt(pointer),
    ...pixelsOf(place),
    pressure,
    actionButton: 0,
    buttons: 0,
  });

/** `right` and `up` in notches of a wheel. */
export const scrollMessage = (place: Place, right: number, up: number) =>
  encodeScrcpyControl({ type: 'scroll', ...pixelsOf(place), horizontal: right, vertical: up, buttons: 0 });

/** Fraction 1 is clamped to the last pixel, so that the right and lower edges belong to the video. */
const pixelsOf = ({ x, y, width, height }: Place) => ({
  x: Math.min(width - 1, Math.floor(x * width)),
  y: Math.min(height - 1, Math.floor(y * height)),
  screenWidth: width,
  screenHeight: height,
});
