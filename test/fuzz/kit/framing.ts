const LENGTH_BYTES = 2;

/** Joins several messages into one input. Each message is preceded by its length. */
export function joined(messages: Iterable<Uint8Array>): Buffer {
  const pieces = [...messages].flatMap((message) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(message.length);
    return [length, message];
  });
  return Buffer.concat(pieces);
}

/** Splits an input into messages. Any input can be split. */
export function* split(input: Buffer): Generator<Buffer> {
  for (let at = 0; at + LENGTH_BYTES <= input.length; ) {
    const start = at + LENGTH_BYTES;
    at = Math.min(start + input.readUInt16BE(at), input.length);
    yield input.subarray(start, at);
  }
}
