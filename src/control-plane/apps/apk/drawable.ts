import {
  ATTRIBUTE_BYTES,
  END_ELEMENT,
  RESOURCE_MAP,
  START_ELEMENT,
  STRING_POOL,
  TYPE_REFERENCE,
  XML,
} from './chunk-types.ts';
import { StringPool } from './string-pool.ts';

/** `android:src` and `android:drawable`: https://developer.android.com/reference/android/R.attr */
const DRAWABLE_ATTRIBUTES = [0x01010119, 0x01010199];

/**
 * Returns the resource ids that a drawable in compiled XML references. For an adaptive icon these are the references
 * in its foreground; for a bitmap, inset, layer list and similar drawables, all references. A vector drawable
 * references none.
 * Source: AOSP frameworks/base libs/androidfw/include/androidfw/ResourceTypes.h, ResXMLTree.
 * @throws RangeError when the bytes are not valid compiled XML.
 */
export function drawablesIn(xml: Buffer): number[] {
  if (xml.readUInt16LE(0) !== XML) throw new RangeError('is not compiled XML');
  let strings: StringPool | null = null;
  let attributes: number[] = [];
  const found: number[] = [];
  const path: (string | null)[] = [];
  for (let at = xml.readUInt16LE(2); at + 8 <= xml.length; ) {
    const [type, headerSize, size] = [
      xml.readUInt16LE(at),
      xml.readUInt16LE(at + 2),
      xml.readUInt32LE(at + 4),
    ];
    if (size < headerSize || headerSize < 8 || at + size > xml.length)
      throw new RangeError('a chunk is malformed');
    const chunk = xml.subarray(at, at + size);
    if (type === STRING_POOL) strings = new StringPool(chunk);
    else if (type === RESOURCE_MAP) attributes = numbers(chunk.subarray(headerSize));
    else if (type === START_ELEMENT) {
      path.push(strings?.get(chunk.readUInt32LE(headerSize + 4)) ?? null);
      if (path[0] !== 'adaptive-icon' || path[1] === 'foreground') {
        found.push(...references(chunk.subarray(headerSize), attributes));
      }
    } else if (type === END_ELEMENT) path.pop();
    at += size;
  }
  return found;
}

const numbers = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length >>> 2 }, (_, index) => bytes.readUInt32LE(index * 4));

/**
 * Reads a ResXMLTree_attrExt and the attributes that follow it. Each attribute has 20 bytes: namespace, name, raw text
 * and a Res_value.
 */
function references(element: Buffer, attributes: number[]): number[] {
  const [start, size, count] = [element.readUInt16LE(8), element.readUInt16LE(10), element.readUInt16LE(12)];
  // Without this check, thousands of attributes could share the same bytes.
  if (size < ATTRIBUTE_BYTES || start + count * size > element.length)
    throw new RangeError('an element is malformed');
  return Array.from({ length: count }, (_, index) => start + index * size).flatMap((at) => {
    const isDrawable = DRAWABLE_ATTRIBUTES.includes(attributes[element.readUInt32LE(at + 4)] ?? 0);
    const isReference = element.readUInt8(at + 15) === TYPE_REFERENCE;
    return isDrawable && isReference ? [element.readUInt32LE(at + 16)] : [];
  });
}
