import { nkeys } from '@nats-io/transport-node';

/** What a process proves itself to a NATS server with: Ed25519, in NATS's own text form. */
export interface Nkey {
  /** Secret: `SU…`, 58 characters. */
  seed: string;
  /** What the server's configuration names: `U…`, 56 characters. */
  publicKey: string;
}

export function newNkey(): Nkey {
  return describe(nkeys.createUser());
}

/** @throws Error, which does not repeat it, when the text is no seed of a user. */
export function nkeyOf(seed: string): Nkey {
  try {
    const nkey = describe(nkeys.fromSeed(new TextEncoder().encode(seed)));
    if (nkey.publicKey.startsWith('U')) return nkey;
  } catch {
    // The library's error is not passed on: it may repeat the secret.
  }
  throw new Error('this is no NATS user seed, SU…');
}

function describe(pair: ReturnType<typeof nkeys.createUser>): Nkey {
  return { seed: new TextDecoder().decode(pair.getSeed()), publicKey: pair.getPublicKey() };
}
