import { type RefObject, useEffect, useState } from 'react';

export interface Size {
  width: number;
  height: number;
}

/** A screen that is wide (Tailwind's `md`), or a small one in landscape orientation. */
export const ROOM_BESIDE = '(min-width: 48rem), (orientation: landscape) and (max-height: 30rem)';

/** Whether the phone's buttons and the tools are beside it. */
export const hasRoomBeside = (): boolean => matchMedia(ROOM_BESIDE).matches;

/** Returns the largest size with the same proportions that fits, with at most one CSS pixel per phone pixel. */
export function fitWithin(size: Size, room: Size): Size {
  const scale = Math.max(0, Math.min(1, room.width / size.width, room.height / size.height));
  return { width: Math.round(size.width * scale), height: Math.round(size.height * scale) };
}

/** Returns the size in CSS pixels at which one phone pixel is exactly one display pixel. */
export const actualSize = ({ width, height }: Size, devicePixelRatio: number): Size => ({
  width: width / devicePixelRatio,
  height: height / devicePixelRatio,
});

/** Returns the number of display pixels per CSS pixel, updated when the page is zoomed or moved to another display. */
export function useDevicePixelRatio(): number {
  const [ratio, setRatio] = useState(devicePixelRatio);
  useEffect(() => {
    // The query matches one ratio, and fires an event when it no longer matches.
    const query = matchMedia(`(resolution: ${ratio}dppx)`);
    const changed = () => setRatio(devicePixelRatio);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [ratio]);
  return ratio;
}

/** Returns an element's size in CSS pixels, updated when it changes. Null before the first layout. */
export function useElementSize(element: RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/**
 * Reports an element's size in display pixels, which is exact if the browser supports it. Returns a function that
 * stops observing.
 */
export function observeDevicePixels(element: HTMLElement, onSize: (size: Size) => void): () => void {
  const observer = new ResizeObserver(([entry]) => {
    const exact = entry?.devicePixelContentBoxSize?.[0];
    const width = exact?.inlineSize ?? Math.round(element.clientWidth * devicePixelRatio);
    const height = exact?.blockSize ?? Math.round(element.clientHeight * devicePixelRatio);
    onSize({ width: Math.max(1, width), height: Math.max(1, height) });
  });
  try {
    observer.observe(element, { box: 'device-pixel-content-box' });
  } catch {
    // Safari does not support `device-pixel-content-box`.
    observer.observe(element);
  }
  return () => observer.disconnect();
}
