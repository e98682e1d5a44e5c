import type { DeviceDescription, Platform } from '../../contract/http/device.ts';

/** Vendors whose name is not the brand with a capital letter. */
const VENDORS: Readonly<Record<string, string>> = {
  asus: 'ASUS',
  blackberry: 'BlackBerry',
  hmd: 'HMD',
  honor: 'HONOR',
  htc: 'HTC',
  iqoo: 'iQOO',
  itel: 'itel',
  lg: 'LG',
  lge: 'LG',
  oneplus: 'OnePlus',
  oppo: 'OPPO',
  poco: 'POCO',
  realme: 'realme',
  tcl: 'TCL',
  tecno: 'TECNO',
  vivo: 'vivo',
  zte: 'ZTE',
};

/** Returns the name of a brand as its vendor writes it. */
export const vendorName = (brand: string): string =>
  VENDORS[brand.toLowerCase()] ?? brand.charAt(0).toLocaleUpperCase() + brand.slice(1);

const PLATFORM_NAMES: Readonly<Record<Platform, string>> = { android: 'Android' };

/** `Android 14` */
export const platformName = ({ platform, os_version }: Pick<DeviceDescription, 'platform' | 'os_version'>) =>
  `${PLATFORM_NAMES[platform]} ${os_version}`;

/** `Samsung SM-S911B`. The brand is omitted if the model starts with it. */
export function modelName({ brand, model }: Pick<DeviceDescription, 'brand' | 'model'>): string {
  const vendor = vendorName(brand);
  return model.toLowerCase().startsWith(brand.toLowerCase())
    ? vendor + model.slice(brand.length)
    : `${vendor} ${model}`;
}
