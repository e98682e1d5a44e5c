import { randomBytes } from 'node:crypto';

/** A call of randomBytes takes about as long for a few bytes as for thousands, so they are drawn in blocks. */
const BLOCK_BYTES = 4_096;
/** Enough digits for the Unix milliseconds until the year 5188, with the letters of base 36. */
const TIME_DIGITS = 9;

let block = Buffer.alloc(0);
let used = 0;

/** Random text for identifiers, which are not secrets. */
export function randomText(bytes: number): string {
  if (used + bytes > block.length) {
    block = randomBytes(BLOCK_BYTES);
    used = 0;
  }
  used += bytes;
  return block.toString('base64url', used - bytes, used);
}

/**
 * Creates an identifier that begins with the time, as a UUID of version 7 does. Identifiers of the same time are next
 * to each other in every index that contains them, so that rows which are inserted together change the same few pages.
 * With random identifiers, each row changes another page of each index.
 */
export const timeOrderedId = (prefix: string): string =>
  `${prefix}${Date.now().toString(36).padStart(TIME_DIGITS, '0')}${randomText(12)}`;
