import { basename } from 'node:path';
import { DriverError } from '../driver.ts';

/** What decides which splits of an app a phone needs. */
export interface PhoneTraits {
  /** Of its processor, the preferred one first, as `arm64-v8a`. */
  abis: string[];
  /** Dots per inch, as Android rounds them. */
  density: number;
  /** Of the person at the phone, as `en`. */
  languages: string[];
}

/** As the names of splits have them. Source: bundletool, AbiName.java. */
const ABIS = ['armeabi', 'armeabi_v7a', 'arm64_v8a', 'x86', 'x86_64', 'mips', 'mips64', 'riscv64'];
/** Source: bundletool, DensityAlias and ResourcesUtils.java. */
const DENSITIES: Record<string, number> = {
  ldpi: 120,
  mdpi: 160,
  tvdpi: 213,
  hdpi: 240,
  xhdpi: 320,
  xxhdpi: 480,
  xxxhdpi: 640,
};
/** Java's old codes, which Android has kept, and today's. */
const OLD_LANGUAGES: Record<string, string> = { iw: 'he', in: 'id', ji: 'yi', tl: 'fil' };

/**
 * The APKs of an app that a phone needs, as the store would choose them: the base, its features, and of the splits for a
 * processor, a density or a language those that fit. A split's file bears its name before `.apk`: `config.arm64_v8a`, or
 * `maps.config.arm64_v8a` of a feature. What splits for anything else is kept.
 * @throws DriverError when the app has code, and none for this processor.
 */
export function chooseApks(files: string[], phone: PhoneTraits): string[] {
  const splits = files.map((file) => ({ file, target: targetOf(file) }));
  const abi = chooseAbi(
    splits.flatMap(({ target }) => (ABIS.includes(target) ? [target] : [])),
    phone.abis,
  );
  const density = chooseDensity(
    splits.flatMap(({ target }) => DENSITIES[target] ?? []),
    phone.density,
  );
  const languages = phone.languages.map(modern);
  const fits = (target: string): boolean => {
    if (ABIS.includes(target)) return target === abi;
    if (target in DENSITIES) return DENSITIES[target] === density;
    return !/^[a-z]{2,3}$/.test(target) || languages.includes(modern(target));
  };
  return splits.filter(({ target }) => fits(target)).map(({ file }) => file);
}

/** Empty for the base, a feature, and a file whose name says nothing. */
const targetOf = (file: string): string => /(?:^|[._])config\.(\w+)\.apk$/.exec(basename(file))?.[1] ?? '';

const modern = (language: string): string => OLD_LANGUAGES[language] ?? language;

function chooseAbi(offered: string[], abis: string[]): string | null {
  if (offered.length === 0) return null;
  const named = abis.map((abi) => abi.replaceAll('-', '_'));
  const abi = named.find((name) => offered.includes(name));
  if (abi) return abi;
  const [theirs, ours] = [[...new Set(offered)].join(', '), named.join(', ')];
  throw new DriverError('failed', `the app has code for ${theirs} and none for this phone (${ours})`);
}

/** The least that is no coarser than the screen, as pictures are better made smaller than larger; else the finest. */
function chooseDensity(offered: number[], density: number): number {
  const enough = offered.filter((each) => each >= density);
  return enough.length > 0 ? Math.min(...enough) : Math.max(...offered);
}
