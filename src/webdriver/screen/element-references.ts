import { createHash } from 'node:crypto';
import { WebDriverError } from '../protocol/errors.ts';
import type { Screen, ScreenElement } from './screen.ts';

/** The property of an element reference in JSON (W3C WebDriver, section 12.1). */
export const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf';

/** Maximum number of descendants that are searched for the label of an element. */
const MAX_LABEL_NODES = 50;
const HASH_BYTES = 6;
const REFERENCE_BYTES = 1 + 5 * HASH_BYTES + 4;
const REFERENCE = /^[\w-]{47}$/;

/** `named`: the resource id was unique on the screen. `labelled`: the element is known by its text as well. */
const TYPES = ['named', 'labelled'] as const;

/** How an element is recognised on a later screen. The hashes are `HASH_BYTES` long. */
interface Reference {
  type: (typeof TYPES)[number];
  session: string;
  /** Class and resource id. */
  kind: string;
  /** Text and description, of the descendants if it has none of its own. */
  label: string;
  /** Position among the elements of the same kind and label, and their number. */
  ordinal: number;
  count: number;
  /** Position in the tree. */
  path: string;
  /** All other elements of the screen. */
  others: string;
}

/** The facts by which the elements of one screen are compared. */
interface Fingerprint {
  element: ScreenElement;
  kind: string;
  label: string;
  path: string;
  /** Own content and position, as a number that can be combined by XOR. */
  content: bigint;
}

/**
 * The references of the elements on one screen. A phone reports its current screen only, without identities of the
 * elements, so a reference contains what the element is recognised by. Any process can therefore resolve it, and none
 * has to store it. An element whose resource id is unique stays the same whatever its text. Any other stays the same
 * while its text does, or while everything else on the screen does.
 */
export class ElementReferences {
  private readonly session: string;
  private readonly prints: Fingerprint[];
  private readonly all: bigint;

  constructor(screen: Screen, sessionId: string) {
    this.session = hash('session', sessionId);
    this.prints = fingerprints(screen);
    this.all = this.prints.reduce((sum, { content }) => sum ^ content, 0n);
  }

  of(element: ScreenElement): string {
    const print = this.prints[element.index]!;
    const sameKind = this.prints.filter(({ kind }) => kind === print.kind);
    const isNamed = element.attributes['resource-id'] !== '' && sameKind.length === 1;
    const alike = sameKind.filter(({ label }) => label === print.label);
    return encode({
      type: isNamed ? 'named' : 'labelled',
      session: this.session,
      kind: print.kind,
      label: print.label,
      ordinal: alike.indexOf(print),
      count: alike.length,
      path: print.path,
      others: this.othersOf(print),
    });
  }

  /** @throws WebDriverError `no such element` for a reference of another session, `stale element reference` */
  resolve(reference: string): ScreenElement {
    const wanted = decode(reference);
    if (wanted?.session !== this.session)
      throw new WebDriverError(
        'no such element',
        'the element reference is not one of this session; find the element first',
      );
    const found = this.find(wanted);
    if (found) return found.element;
    throw new WebDriverError(
      'stale element reference',
      'the element is no longer on the screen; find it again',
    );
  }

  private find(wanted: Reference): Fingerprint | undefined {
    const sameKind = this.prints.filter(({ kind }) => kind === wanted.kind);
    if (wanted.type === 'named' && sameKind.length === 1) return sameKind[0];
    const alike = sameKind.filter(({ label }) => label === wanted.label);
    if (alike.length > 0 && alike.length === wanted.count) return alike[wanted.ordinal];
    // One of several that look alike is gone or new. The one at the same place is the same if it is the only change
    // there, which only the rest of the screen can tell.
    return sameKind.find((print) => print.path === wanted.path && this.othersOf(print) === wanted.others);
  }

  private othersOf({ content }: Fingerprint): string {
    return (this.all ^ content).toString(16).padStart(2 * HASH_BYTES, '0');
  }
}

function fingerprints({ elements }: Screen): Fingerprint[] {
  const paths: string[] = [];
  return elements.map((element) => {
    const { attributes, parent } = element;
    const path = `${parent ? paths[parent.index] : ''}/${attributes.index}`;
    paths.push(path);
    const kind = hash('kind', attributes.class, attributes['resource-id']);
    const content = hash('content', path, kind, attributes.text, attributes['content-desc']);
    return {
      element,
      kind,
      path: hash('path', path),
      content: BigInt(`0x${content}`),
      label: hash('label', labelOf(element)),
    };
  });
}

/** The own text, or else the texts within. A button may have its label in a child. */
function labelOf(element: ScreenElement): string {
  const texts: string[] = [];
  const open = [element];
  for (let looked = 0; open.length > 0 && looked < MAX_LABEL_NODES; looked += 1) {
    const { attributes, children } = open.pop()!;
    const own = [attributes.text, attributes['content-desc']].filter((text) => text !== '');
    if (looked === 0 && own.length > 0) return own.join('\n');
    texts.push(...own);
    open.push(...children.toReversed());
  }
  return texts.join('\n');
}

/** Hexadecimal. */
const hash = (...parts: string[]) =>
  createHash('sha256')
    .update(JSON.stringify(parts))
    .digest('hex')
    .slice(0, 2 * HASH_BYTES);

function encode({ type, session, kind, label, ordinal, count, path, others }: Reference): string {
  const bytes = Buffer.alloc(REFERENCE_BYTES);
  bytes.writeUInt8(TYPES.indexOf(type), 0);
  bytes.write(session + kind + label + path + others, 1, 'hex');
  bytes.writeUInt16BE(ordinal, 1 + 5 * HASH_BYTES);
  bytes.writeUInt16BE(count, 3 + 5 * HASH_BYTES);
  return bytes.toString('base64url');
}

function decode(text: string): Reference | null {
  if (!REFERENCE.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  const type = TYPES[bytes[0]!];
  if (bytes.length !== REFERENCE_BYTES || type === undefined) return null;
  const [session, kind, label, path, others] = [0, 1, 2, 3, 4].map((at) =>
    bytes.toString('hex', 1 + at * HASH_BYTES, 1 + (at + 1) * HASH_BYTES),
  ) as [string, string, string, string, string];
  const [ordinal, count] = [bytes.readUInt16BE(1 + 5 * HASH_BYTES), bytes.readUInt16BE(3 + 5 * HASH_BYTES)];
  return { type, session, kind, label, ordinal, count, path, others };
}
