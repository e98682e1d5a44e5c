import { describe } from 'vitest';
import { foreignTarget, useForeignTarget, useLocalTarget } from './kit/target.ts';
import { publicInterface } from './suite/public-interface.ts';

const foreign = foreignTarget();
if (foreign) {
  describe(`the public interface at ${foreign.url}`, () => publicInterface(useForeignTarget(foreign)));
} else {
  describe('the public interface, on the embedded store', () =>
    publicInterface(useLocalTarget('the embedded store')));
}
