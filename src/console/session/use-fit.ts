import { type RefObject, useEffect, useState } from 'react';

export interface Size {
  width: number;
  height: number;
}

/** Whether the phone's buttons are beside it: from where Tailwind's `md` begins. */
export const isWide = (): boolean => matchMedia('(min-width: 48rem)').matches;

/** The largest size of the same proportions that fits, never larger than one pixel of the page per pixel of the phone. */
export function fitWithin(size: Size, room: Size): Size {
  const scale = Math.max(0, Math.min(1, room.width / size.width, room.height / size.height));
  return { width: Math.round(size.width * scale), height: Math.round(size.height * scale) };
}

/** The size in CSS pixels at which each pixel of the phone is exactly one of the display. */
export const actualSize = ({ width, height }: Size, devicePixelRatio: number): Size => ({
  width: width / devicePixelRatio,
  height: height / devicePixelRatio,
});

/** Pixels of the display per CSS pixel, followed as the page is zoomed or moved to another display. */
export function useDevicePixelRatio(): number {
  const [ratio, setRatio] = useState(devicePixelRatio);
  useEffect(() => {
    // The query matches one ratio, and says when it no longer does.
    const query = matchMedia(`(resolution: ${ratio}dppx)`);
    const changed = () => setRatio(devicePixelRatio);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [ratio]);
  return ratio;
}

/** The size in CSS pixels of an element, followed as it changes; null before the first layout. */
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

/** Tells the size of an element in pixels of the display, exactly where the browser can say. Returns the end of it. */
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
    // Safari does not know that box.
    observer.observe(element);
  }
  return () => observer.disconnect();
}
