import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PREPARE = fileURLToPath(new URL('../scripts/prepare.mjs', import.meta.url));

/** Builds what has changed, because the tests start the built command, also when vitest is run without npm. */
export function setup(): void {
  execFileSync(process.execPath, [PREPARE], { stdio: 'inherit' });
}
