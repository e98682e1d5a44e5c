import { randomText } from '../util/ids.ts';

/** Creates the identifier of a row: 72 random bits, which are not a secret. */
export const newId = (kind: 'acc' | 'key' | 'user' | 'host' | 'hook' | 'msg' | 'grp' | 'watch' | 'art') =>
  `${kind}_${randomText(9)}`;
