import { expect, test } from 'vitest';
import { similarNames } from './similar-names.ts';

const NAMES = ['PORT', 'TLS_PORT', 'HOST', 'OIDC_ISSUER', 'OIDC_GROUPS', 'SIMULATED_PHONES'];

test.each([
  ['PROT', ['PORT']],
  ['TSL_PROT', ['TLS_PORT']],
  ['SIMULATEDPHONE', ['SIMULATED_PHONES']],
  ['POST', ['PORT', 'HOST']],
  ['OIDC', ['OIDC_ISSUER', 'OIDC_GROUPS']],
  ['PORT_FILE', ['PORT']],
  ['PHONES', ['SIMULATED_PHONES']],
  ['COLOUR', []],
  ['', []],
])('%s may stand for %j', (wanted, similar) => {
  expect(similarNames(wanted, NAMES)).toEqual(similar);
});
