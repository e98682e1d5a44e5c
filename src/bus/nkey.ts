import { nkeys } from '@nats-io/transport-node';

/** The credentials of a process at a NATS server: an Ed25519 key pair in the text format of NATS. */
export interface Nkey {
  /** Secret: `SU…`, 58 characters. */
  seed: string;
  /** The public key in the server's configuration: `U…`, 56 characters. */
  publicKey: string;
}

export function newNkey(): Nkey {
  return describe(nkeys.createUser());
}

/** @throws Error, whose message does not contain the text, when the text is not the seed of a user */
export function nkeyOf(seed: string): Nkey {
  try {
    const nkey = describe(nkeys.fromSeed(new TextEncoder().encode(seed)));
    if (nkey.publicKey.startsWith('U')) return nkey;
  } catch {
    // The library's error is not passed on, because it may contain the secret
  }
  throw new Error('the credential is not a NATS user seed (SU…)');
}

function describe(pair: ReturnType<typeof nkeys.createUser>): Nkey {
  return { seed: new TextDecoder().decode(pair.getSeed()), publicKey: pair.getPublicKey() };
}
