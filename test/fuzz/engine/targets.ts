import { readdirSync } from 'node:fs';
import type { Target } from './target.ts';

const FOLDER = new URL('../targets/', import.meta.url);

export const TARGET_NAMES = readdirSync(FOLDER).map((file) => file.replace(/\.ts$/, ''));

/**
 * Returns the URL of the target with this name.
 * @throws RangeError if there is no such target
 */
export function targetUrl(name: string): string {
  if (!TARGET_NAMES.includes(name))
    throw new RangeError(`unknown target ${name}; the targets are ${TARGET_NAMES.join(', ')}`);
  return new URL(`${name}.ts`, FOLDER).href;
}

export async function loadTarget(url: string): Promise<Target> {
  const { target } = (await import(url)) as { target: Target };
  return target;
}
