/**
 * A real phone model, with the data that its maker publishes. `os` is the major version that the simulated phone
 * reports.
 */
export interface PhoneModel {
  readonly name: string;
  /** In lower case. */
  readonly brand: string;
  /** The model code, as in `ro.product.model`. */
  readonly code: string;
  readonly os: number;
  /** Diagonal in inches. */
  readonly inches: number;
  /** Resolution of the real screen in portrait orientation, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Hue in degrees of the wallpaper and of the colours derived from it. */
  readonly hue: number;
}

/** In the order in which a host creates its phones: the first few differ in brand and OS version. */
export const PHONE_MODELS: readonly PhoneModel[] = [
  phone('Google Pixel 9', 'google', 'Pixel 9', 15, 6.3, [1080, 2424], 262),
  phone('Samsung Galaxy S23', 'samsung', 'SM-S911B', 14, 6.1, [1080, 2340], 222),
  phone('Xiaomi 13', 'xiaomi', '2211133G', 13, 6.36, [1080, 2400], 18),
  phone('OnePlus 9', 'oneplus', 'LE2113', 12, 6.55, [1080, 2400], 350),
  phone('Samsung Galaxy A54 5G', 'samsung', 'SM-A546B', 14, 6.4, [1080, 2340], 292),
  phone('Google Pixel 7a', 'google', 'Pixel 7a', 14, 6.1, [1080, 2400], 168),
  phone('Motorola Edge 40', 'motorola', 'motorola edge 40', 13, 6.55, [1080, 2400], 200),
  phone('Nothing Phone (2)', 'nothing', 'A065', 13, 6.7, [1080, 2412], 40),
  phone('Sony Xperia 1 V', 'sony', 'XQ-DQ54', 13, 6.5, [1644, 3840], 188),
  phone('OnePlus 12', 'oneplus', 'CPH2581', 15, 6.82, [1440, 3168], 140),
  phone('Samsung Galaxy S21', 'samsung', 'SM-G991B', 12, 6.2, [1080, 2400], 246),
  phone('OPPO Find X5 Pro', 'oppo', 'CPH2305', 12, 6.7, [1440, 3216], 210),
];

function phone(
  name: string,
  brand: string,
  code: string,
  os: number,
  inches: number,
  [width, height]: readonly [number, number],
  hue: number,
): PhoneModel {
  return { name, brand, code, os, inches, width, height, hue };
}

/** Android's API level of each version that a model has (developer.android.com, “Platform codenames”). */
export const API_LEVELS: Readonly<Record<number, number>> = { 12: 31, 13: 33, 14: 34, 15: 35 };

/** The state of the simulated hardware, which never changes. */
export const HARDWARE = {
  batteryPercent: 86,
  storage: { total_bytes: 128e9, free_bytes: 75e9 },
  wifi: { name: 'Phonebooth', address: '192.0.2.17' },
} as const;

/** Width of each simulated screen in dp. */
const SCREEN_DP = 360;

/** Pixels per inch that apps are laid out for: 160 for each pixel per dp, on the resolution of the real screen. */
export const densityOf = ({ width }: PhoneModel): number => Math.round((160 * width) / SCREEN_DP);

/** Short side of the streamed video in pixels: three pixels for two dp on a screen 360 dp wide. */
const STREAMED_SHORT_SIDE = 540;

/** The video's size in portrait orientation, in pixels. Both sides are even, as H.264 in 4:2:0 requires. */
export function streamedSize(model: PhoneModel): { width: number; height: number } {
  const height = (model.height * STREAMED_SHORT_SIDE) / model.width;
  return { width: STREAMED_SHORT_SIDE, height: Math.round(height / 2) * 2 };
}
