import { expect, test } from 'vitest';
import { newNkey, nkeyOf } from './nkey.ts';

test('derives the public key from a seed', () => {
  const nkey = newNkey();
  expect(nkey.seed).toMatch(/^SU[A-Z2-7]{56}$/);
  expect(nkey.publicKey).toMatch(/^U[A-Z2-7]{55}$/);
  expect(nkeyOf(nkey.seed)).toEqual(nkey);
  expect(newNkey().seed).not.toBe(nkey.seed);
});

test.each(['', 'SUAAAA', 'SAAMQBXOTGJOT6KRNRYJVZ3PYDMYFQ4BMGVJDHT5YFCUVEBEMQVT3ONOE4'])(
  'rejects an invalid user seed without echoing it: %s',
  (text) => {
    expect(() => nkeyOf(text)).toThrow(/^the credential is not a NATS user seed \(SU…\)$/);
  },
);
