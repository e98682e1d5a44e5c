import { Path2D } from '@napi-rs/canvas';

/** Paths on a grid of 24 × 24; `stroke` is drawn with a round pen of width 2. */
type Drawing = { readonly stroke?: string; readonly fill?: string };

const circle = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;

const DRAWINGS = {
  add: { stroke: 'M12 5V19M5 12H19' },
  back: { stroke: 'M19 12H5M11 6L5 12L11 18' },
  forward: { stroke: 'M5 12H19M13 6L19 12L13 18' },
  battery: {
    stroke: 'M9 4.5H15V2.5H9ZM7.5 5H16.5V21.5H7.5Z',
    fill: 'M7.5 9H16.5V21.5H7.5Z',
  },
  bell: { stroke: 'M6 17V11A6 6 0 0 1 18 11V17L19.5 18.5H4.5ZM10.5 21.5H13.5M12 5V3' },
  bluetooth: { stroke: 'M7 7.5L17 16.5L12 21V3L17 7.5L7 16.5' },
  brush: {
    stroke: 'M20.5 3.5C16 6 12 10 10.5 12.5L13 15C15.5 13.5 19 9 20.5 3.5Z',
    fill: 'M9.2 14.2L11.4 16.4C11.2 19.8 7.5 21.5 3 20.5C5 19.5 4.8 18.2 5.4 16.6C6 14.9 7.6 13.9 9.2 14.2Z',
  },
  calculator: {
    stroke: 'M5 3H19V21H5ZM8.5 7H15.5',
    fill: `${circle(8.7, 12, 1.2)}${circle(12, 12, 1.2)}${circle(15.3, 12, 1.2)}${circle(8.7, 16.5, 1.2)}${circle(12, 16.5, 1.2)}${circle(15.3, 16.5, 1.2)}`,
  },
  check: { stroke: 'M5 12.5L10 17.5L19.5 7' },
  chevron: { stroke: 'M9.5 6L15.5 12L9.5 18' },
  clock: { stroke: `${circle(12, 12, 9)}M12 7V12L15.5 14` },
  close: { stroke: 'M6 6L18 18M18 6L6 18' },
  copy: { stroke: 'M9 9H20V21H9ZM5 15H4V3H15V5' },
  dark: { stroke: 'M20 14.5A8.5 8.5 0 1 1 9.5 4A7 7 0 0 0 20 14.5Z' },
  delete: { stroke: 'M4 6.5H20M9 6V3.5H15V6M6 7L7 20.5H17L18 7M10.2 10.5V17M13.8 10.5V17' },
  display: {
    stroke: `${circle(12, 12, 4)}M12 2.5V4.5M12 19.5V21.5M2.5 12H4.5M19.5 12H21.5M5.3 5.3L6.7 6.7M17.3 17.3L18.7 18.7M5.3 18.7L6.7 17.3M17.3 6.7L18.7 5.3`,
  },
  folder: { stroke: 'M3 5.5H9.5L12 8H21V19H3Z' },
  globe: { stroke: `${circle(12, 12, 9)}M3 12H21M12 3C8 7 8 17 12 21C16 17 16 7 12 3` },
  info: { stroke: `${circle(12, 12, 9)}M12 11V16.5`, fill: circle(12, 7.6, 1.3) },
  keyboard: {
    stroke: 'M2.5 6H21.5V18H2.5ZM8.5 15H15.5',
    fill: [5.5, 8.8, 12, 15.2, 18.5].map((x) => circle(x, 10.4, 1)).join(''),
  },
  language: {
    stroke:
      'M3 6H13M8 3.5V6M11 6C10 10 7 13 3.5 14.5M5.5 9C7 11.5 9 13 11.5 14M12 21L16.5 10.5L21 21M13.7 17.5H19.3',
  },
  lock: { stroke: 'M5.5 10.5H18.5V21H5.5ZM8.5 10V7A3.5 3.5 0 0 1 15.5 7V10', fill: circle(12, 15.7, 1.6) },
  menu: { stroke: 'M4 7H20M4 12H20M4 17H20' },
  mic: { stroke: 'M9 6A3 3 0 0 1 15 6V11A3 3 0 0 1 9 11ZM5.5 11A6.5 6.5 0 0 0 18.5 11M12 17.5V21' },
  note: { stroke: 'M5 3H19V15L13.5 21H5ZM8.5 8H15.5M8.5 12H13.5' },
  palette: {
    stroke:
      'M12 3A9 9 0 1 0 12 21C14 21 14 19 13.3 18C12.6 16.5 13.5 15 15 15H18C20 15 21 13.5 21 12A9 9 0 0 0 12 3Z',
    fill: `${circle(8, 9, 1.3)}${circle(12, 7, 1.3)}${circle(16, 9, 1.3)}${circle(7, 13.5, 1.3)}`,
  },
  phone: { stroke: 'M7 2.5H17V21.5H7ZM10.5 18.5H13.5' },
  pin: {
    stroke: `M12 21.5C7 16 5 12.8 5 9.8A7 7 0 0 1 19 9.8C19 12.8 17 16 12 21.5Z${circle(12, 9.8, 2.3)}`,
  },
  plane: {
    fill: 'M21.5 15.5V13.5L13.5 8.5V4A1.5 1.5 0 0 0 10.5 4V8.5L2.5 13.5V15.5L10.5 13V18L8.5 19.5V21L12 20L15.5 21V19.5L13.5 18V13Z',
  },
  refresh: { stroke: 'M19.5 12A7.5 7.5 0 1 1 17.3 6.7L19.5 9M19.5 4V9H14.5' },
  rotate: { stroke: 'M8.5 3H15.5V15H8.5ZM3 9C3 15 7 20 13 20M10.5 17.5L13 20L10.5 22.5' },
  search: { stroke: `${circle(10.5, 10.5, 6.5)}M15.5 15.5L20.5 20.5` },
  security: {
    stroke:
      'M12 2.8L19.5 5.5V11C19.5 16 16.5 19.5 12 21.3C7.5 19.5 4.5 16 4.5 11V5.5ZM8.5 11.8L11 14.3L15.5 9.5',
  },
  settings: { stroke: 'M4 7H11M17 7H20M4 17H7M13 17H20M14 4.5V9.5M10 14.5V19.5' },
  gear: {
    stroke: `${circle(12, 12, 3.2)}M12 2.8L14 5.4L17.2 4.6L18 7.8L21 9.4L19.6 12L21 14.6L18 16.2L17.2 19.4L14 18.6L12 21.2L10 18.6L6.8 19.4L6 16.2L3 14.6L4.4 12L3 9.4L6 7.8L6.8 4.6L10 5.4Z`,
  },
  share: { stroke: 'M12 15V3M7.5 7L12 2.8L16.5 7M6 11H4.5V21H19.5V11H18' },
  shift: { stroke: 'M12 4L20 12.5H15.5V19.5H8.5V12.5H4Z' },
  'shift-on': { stroke: 'M12 4L20 12.5H15.5V19.5H8.5V12.5H4Z', fill: 'M12 4L20 12.5H15.5V19.5H8.5V12.5H4Z' },
  backspace: { stroke: 'M8.5 5H21V19H8.5L2.5 12ZM11.5 9L17.5 15M17.5 9L11.5 15' },
  enter: { stroke: 'M20 5V13H5M10 8L5 13L10 18' },
  sound: { stroke: 'M4 9H8L13 4.5V19.5L8 15H4ZM16.5 8.5A5 5 0 0 1 16.5 15.5M19 5.5A9 9 0 0 1 19 18.5' },
  mute: { stroke: 'M4 9H8L13 4.5V19.5L8 15H4ZM16.5 9.5L21 14M21 9.5L16.5 14' },
  star: { stroke: 'M12 3L14.7 9L21 9.6L16.2 13.8L17.7 20.2L12 16.8L6.3 20.2L7.8 13.8L3 9.6L9.3 9Z' },
  storage: {
    stroke: 'M4 4H20V9H4ZM4 9H20V14.5H4ZM4 14.5H20V20H4Z',
    fill: `${circle(7.2, 6.5, 1)}${circle(7.2, 11.8, 1)}${circle(7.2, 17.3, 1)}`,
  },
  undo: { stroke: 'M8 5L4 9L8 13M4.5 9H14A5.5 5.5 0 0 1 14 20H9' },
  update: { stroke: 'M12 7.5V12.5L15.5 14.5M4 12A8 8 0 1 1 6.5 17.8M4 8V12H8' },
  user: { stroke: `${circle(12, 8, 4)}M4 20.5C4.5 16.5 7.5 14.5 12 14.5C16.5 14.5 19.5 16.5 20 20.5` },
  wallpaper: { stroke: 'M4 4H20V20H4ZM4 17L9.5 11L13.5 15.5L16 13L20 17', fill: circle(15.5, 8.5, 1.6) },
  wifi: {
    fill: 'M12 20.2L1.6 7.6C4.4 5.3 8 4 12 4C16 4 19.6 5.3 22.4 7.6Z',
  },
  cellular: { fill: 'M21 3V21H3Z' },
} satisfies Record<string, Drawing>;

export type IconName = keyof typeof DRAWINGS;

function parsed(drawing: Drawing): { path: Path2D; filled: boolean }[] {
  const parts = [];
  if (drawing.fill) parts.push({ path: new Path2D(drawing.fill), filled: true });
  if (drawing.stroke) parts.push({ path: new Path2D(drawing.stroke), filled: false });
  return parts;
}

export const ICONS = Object.fromEntries(
  Object.entries(DRAWINGS).map(([name, drawing]) => [name, parsed(drawing)]),
) as unknown as Record<IconName, { path: Path2D; filled: boolean }[]>;
