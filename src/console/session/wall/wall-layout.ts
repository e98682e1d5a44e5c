import { useState } from 'react';

const STORED_AS = 'phonebooth.wall';
/** Height of a phone's card in CSS pixels. */
export const WALL_SIZES = { least: 320, most: 1000, step: 20, usual: 560 } as const;

export interface WallLayout {
  size: number;
  /** Whether a phone is as high as the window. */
  fit: boolean;
}

/** Reads a stored layout. Replaces whatever is missing or not valid. */
export function parseWallLayout(stored: string | null): WallLayout {
  let read: { size?: unknown; fit?: unknown };
  try {
    read = Object(JSON.parse(stored ?? 'null'));
  } catch {
    read = {};
  }
  const { least, most, usual } = WALL_SIZES;
  const size = typeof read.size === 'number' && Number.isFinite(read.size) ? read.size : usual;
  return { size: Math.min(most, Math.max(least, size)), fit: read.fit === true };
}

/** The arrangement of the wall, kept in this browser. */
export function useWallLayout(): [WallLayout, (layout: WallLayout) => void] {
  const [layout, setLayout] = useState(() => parseWallLayout(localStorage.getItem(STORED_AS)));
  const change = (next: WallLayout) => {
    setLayout(next);
    localStorage.setItem(STORED_AS, JSON.stringify(next));
  };
  return [layout, change];
}

/** Height of the phone's name and buttons in its card, in CSS pixels. */
const CARD_EXTRA = 112;
/** Width of a card in which its buttons fit. */
const LEAST_WIDTH = 248;

/**
 * Returns the height of a card, and the smallest width that shows an upright phone in it without shrinking it. A phone
 * is about half as wide as it is high.
 */
export function cardSize(
  { size, fit }: WallLayout,
  roomHeight: number,
): { height: number; minWidth: number } {
  const height = fit ? Math.max(WALL_SIZES.least, roomHeight) : size;
  return { height, minWidth: Math.round(Math.max(LEAST_WIDTH, (height - CARD_EXTRA) * 0.47 + 24)) };
}
