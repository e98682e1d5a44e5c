import { expect, test } from 'vitest';
import { newNkey, nkeyOf } from './nkey.ts';

test('a seed gives its public key again', () => {
  const nkey = newNkey();
  expect(nkey.seed).toMatch(/^SU[A-Z2-7]{56}$/);
  expect(nkey.publicKey).toMatch(/^U[A-Z2-7]{55}$/);
  expect(nkeyOf(nkey.seed)).toEqual(nkey);
  expect(newNkey().seed).not.toBe(nkey.seed);
});

test.each(['', 'SUAAAA', 'SAAMQBXOTGJOT6KRNRYJVZ3PYDMYFQ4BMGVJDHT5YFCUVEBEMQVT3ONOE4'])(
  'what is no seed of a user is refused without being repeated: %s',
  (text) => {
    expect(() => nkeyOf(text)).toThrow(/^this is no NATS user seed, SU…$/);
  },
);
