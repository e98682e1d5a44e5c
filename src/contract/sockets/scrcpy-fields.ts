/** The kinds of fields of scrcpy's binary messages, big-endian. Each declares how it is read and how it is written. */
export interface Field<T> {
  read(reader: FieldReader): T;
  write(writer: FieldWriter, value: T): void;
}

const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

/**
 * Reads the fields of a message in order, after its type byte. It throws a RangeError on a read past the end, and at
 * the end when unread bytes remain.
 */
export class FieldReader {
  private offset = 1;
  private readonly view: DataView;
  private readonly bytes: Uint8Array;
  private readonly name: string;

  constructor(bytes: Uint8Array, name: string) {
    this.bytes = bytes;
    this.name = name;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  number(read: 'getUint8' | 'getUint16' | 'getInt16' | 'getUint32' | 'getInt32', length: number): number {
    return this.view[read](this.take(length));
  }

  u64(): bigint {
    return this.view.getBigUint64(this.take(8));
  }

  raw(length: number): Uint8Array {
    const start = this.take(length);
    return this.bytes.subarray(start, start + length);
  }

  text(length: number): string {
    const raw = this.raw(length);
    try {
      return decoder.decode(raw);
    } catch {
      throw new RangeError(`the text of ${this.name} is not UTF-8`);
    }
  }

  end(): void {
    const left = this.bytes.length - this.offset;
    if (left > 0) throw new RangeError(`${this.name} has ${left} trailing bytes`);
  }

  private take(length: number): number {
    const start = this.offset;
    if (start + length > this.bytes.length) {
      throw new RangeError(`${this.name} is truncated at ${this.bytes.length} bytes`);
    }
    this.offset = start + length;
    return start;
  }
}

/** Collects the fields of a message. */
export class FieldWriter {
  private readonly parts: Uint8Array[] = [];
  private length = 0;

  raw(part: Uint8Array): void {
    this.parts.push(part);
    this.length += part.length;
  }

  fixed(length: number, write: (view: DataView) => void): void {
    const part = new Uint8Array(length);
    write(new DataView(part.buffer));
    this.raw(part);
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.length);
    let offset = 0;
    for (const part of this.parts) {
      all.set(part, offset);
      offset += part.length;
    }
    return all;
  }
}

export const u8: Field<number> = {
  read: (r) => r.number('getUint8', 1),
  write: (w, value) => w.fixed(1, (view) => view.setUint8(0, value)),
};
export const u16: Field<number> = {
  read: (r) => r.number('getUint16', 2),
  write: (w, value) => w.fixed(2, (view) => view.setUint16(0, value)),
};
export const u32: Field<number> = {
  read: (r) => r.number('getUint32', 4),
  write: (w, value) => w.fixed(4, (view) => view.setUint32(0, value)),
};
export const i32: Field<number> = {
  read: (r) => r.number('getInt32', 4),
  write: (w, value) => w.fixed(4, (view) => view.setInt32(0, value)),
};
export const u64: Field<bigint> = {
  read: (r) => r.u64(),
  write: (w, value) => w.fixed(8, (view) => view.setBigUint64(0, value)),
};
export const bool: Field<boolean> = {
  read: (r) => u8.read(r) !== 0,
  write: (w, value) => u8.write(w, value ? 1 : 0),
};

/** 0 to 1 as unsigned 16-bit fixed point, in which 0xffff represents 1 (sc_float_to_u16fp, u16FixedPointToFloat). */
export const u16FixedPoint: Field<number> = {
  read: (r) => {
    const value = u16.read(r);
    return value === 0xffff ? 1 : value / 0x1_0000;
  },
  write: (w, value) => u16.write(w, Math.min(0xffff, Math.round(value * 0x1_0000))),
};

/** -limit to limit as signed 16-bit fixed point (sc_float_to_i16fp). */
export const i16FixedPoint = (limit: number): Field<number> => ({
  read: (r) => (r.number('getInt16', 2) / 0x8000) * limit,
  write: (w, value) => {
    const scaled = Math.max(-0x8000, Math.min(0x7fff, Math.round((value / limit) * 0x8000)));
    w.fixed(2, (view) => view.setInt16(0, scaled));
  },
});

/** A length and the bytes. @throws RangeError with the message when the length is outside the limits */
const prefixed = (
  length: Field<number>,
  minimum: number,
  maximum: number,
  message: string,
): { readLength(r: FieldReader): number; write(w: FieldWriter, bytes: Uint8Array): void } => {
  const check = (count: number) => {
    if (count < minimum || count > maximum) throw new RangeError(message);
    return count;
  };
  return {
    readLength: (r) => check(length.read(r)),
    write: (w, bytes) => {
      length.write(w, check(bytes.length));
      w.raw(bytes);
    },
  };
};

const text = (
  length: Field<number>,
  maximum: number,
  message = `a text must have at most ${maximum} bytes`,
): Field<string> => {
  const bytes = prefixed(length, 0, maximum, message);
  return {
    read: (r) => r.text(bytes.readLength(r)),
    write: (w, value) => bytes.write(w, encoder.encode(value)),
  };
};

/** UTF-8 after its length in one byte. */
export const text8 = text(u8, 0xff);
/** UTF-8 after its length in four bytes. */
export const text32 = (maximum = 0xffff_ffff, message?: string): Field<string> => text(u32, maximum, message);

/** Bytes after their length in two bytes. */
export const bytes16 = (
  minimum = 0,
  maximum = 0xffff,
  message = `the data must have at most ${maximum} bytes`,
): Field<Uint8Array> => {
  const bytes = prefixed(u16, minimum, maximum, message);
  return { read: (r) => r.raw(bytes.readLength(r)), write: bytes.write };
};
