import { basename } from 'node:path';
import { DriverError } from '../../driver.ts';

/** The properties of a phone that decide which splits of an app it needs. */
export interface PhoneTraits {
  /** ABIs of the phone's processor such as `arm64-v8a`, the preferred one first. */
  abis: string[];
  /** Dots per inch, rounded to one of Android's density classes. */
  density: number;
  /** Languages of the phone's user, such as `en`. */
  languages: string[];
}

/** ABIs as split names spell them. Source: bundletool, AbiName.java. */
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
/** Java's legacy language codes, which Android has kept, and the current ones. */
const OLD_LANGUAGES: Record<string, string> = { iw: 'he', in: 'id', ji: 'yi', tl: 'fil' };

/**
 * Chooses the APKs of an app that a phone needs, as the Play Store would: the base, its features, and the matching
 * splits for its processor, density and languages. The name of a split's file states its target before `.apk`:
 * `config.arm64_v8a`, or `maps.config.arm64_v8a` for a feature. Splits for any other target are kept.
 * @throws DriverError when the app contains native code, but none for this processor.
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

/** The target in the file's name. Empty for the base, a feature, or a file whose name states no target. */
const targetOf = (file: string): string => /(?:^|[._])config\.(\w+)\.apk$/.exec(basename(file))?.[1] ?? '';

const modern = (language: string): string => OLD_LANGUAGES[language] ?? language;

function chooseAbi(offered: string[], abis: string[]): string | null {
  if (offered.length === 0) return null;
  const named = abis.map((abi) => abi.replaceAll('-', '_'));
  const abi = named.find((name) => offered.includes(name));
  if (abi) return abi;
  const [theirs, ours] = [[...new Set(offered)].join(', '), named.join(', ')];
  throw new DriverError(
    'failed',
    `the app contains code for ${theirs}, but not for this phone (${ours}); upload a build that does`,
  );
}

/**
 * Chooses the lowest density that is not below the screen's, because scaling images down looks better than scaling
 * them up. Otherwise chooses the highest one.
 */
function chooseDensity(offered: number[], density: number): number {
  const enough = offered.filter((each) => each >= density);
  return enough.length > 0 ? Math.min(...enough) : Math.max(...offered);
}
