const EDGES = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  2 ** 53,
  '',
  'a',
  '\u0000',
  '\ud83d',
  [],
  {},
  ['__proto__'],
  { length: 1 },
];
const NAMES = ['__proto__', 'constructor', 'toString', '', 'a/b', '~1'];

/** Source of the random decisions. */
interface Chooser {
  words: readonly Buffer[];
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Changes a value somewhere in a JSON text. Returns null if the input is not JSON. */
export function mutateJson(bytes: Buffer, chooser: Chooser): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString()) as Json, chooser)));
  } catch {
    return null;
  }
}

function change(value: Json, chooser: Chooser): Json {
  const isHere = chooser.below(3) === 0;
  if (isHere || typeof value !== 'object' || value === null) return anew(value, chooser);
  // Uses pairs, because in JSON a name such as `__proto__` has no special meaning.
  const members: [string, Json][] = Object.entries(value);
  const at = chooser.below(members.length + 1);
  const [name, member] = members[at] ?? [chooser.pick([...NAMES, ...words(chooser)]), null];
  const kind = chooser.below(4);
  if (kind === 0) members.splice(at, 1);
  else if (kind === 1) members.splice(at, 0, [chooser.pick([...NAMES, ...words(chooser)]), member]);
  else members.splice(at, 1, [name, change(member, chooser)]);
  return Array.isArray(value) ? members.map(([, one]) => one) : Object.fromEntries(members);
}

function anew(value: Json, chooser: Chooser): Json {
  const kind = chooser.below(4);
  if (kind === 0 && typeof value === 'number') return value + chooser.below(5) - 2;
  if (kind === 0 && typeof value === 'string') return value.repeat(1 + chooser.below(3));
  if (kind === 1) return chooser.pick(words(chooser));
  if (kind === 2) return Array(1 + chooser.below(30)).fill(value);
  return chooser.pick(EDGES) as Json;
}

const words = (chooser: Chooser) => ['a', ...chooser.words.map((word) => word.toString())];
