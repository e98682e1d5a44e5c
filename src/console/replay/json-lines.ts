/** Maximum number of lines that are kept. The rest of a longer file is not read. */
export const MAX_LINES = 100_000;
/** A longer line is skipped. The recorder writes shorter ones. */
const MAX_LINE_CHARS = 262_144;
/** Maximum number of bytes that are read, in case the lines are long. */
const MAX_BYTES = 128 * 1024 * 1024;

export interface Lines<T> {
  items: T[];
  /** Whether the file has more than is kept. */
  isCut: boolean;
}

/**
 * Reads a file with one JSON object per line. Skips lines that are not valid, such as a last line that is not complete
 * because the recorder was killed while it wrote it.
 * @param read returns the item of a line, or null to skip it
 */
export async function readJsonLines<T>(
  content: ReadableStream<Uint8Array<ArrayBuffer>>,
  read: (value: unknown, index: number) => T | null,
  { maxLines = MAX_LINES, maxBytes = MAX_BYTES } = {},
): Promise<Lines<T>> {
  const items: T[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  let isSkipping = false;
  let bytes = 0;
  const take = (line: string) => {
    const item = parsed(line, (value) => read(value, items.length));
    if (item !== null) items.push(item);
  };
  const reader = content.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (items.length >= maxLines) return { items, isCut: true };
        if (!isSkipping) take(line);
        isSkipping = false;
      }
      if (rest.length > MAX_LINE_CHARS) {
        rest = '';
        isSkipping = true;
      }
      if (bytes > maxBytes) return { items, isCut: true };
    }
    if (items.length >= maxLines && rest.trim() !== '') return { items, isCut: true };
    if (!isSkipping) take(rest);
    return { items, isCut: false };
  } finally {
    // Also ends the download when not all of it is read.
    await reader.cancel().catch(() => {});
  }
}

function parsed<T>(line: string, read: (value: unknown) => T | null): T | null {
  if (line.length > MAX_LINE_CHARS || line.trim() === '') return null;
  try {
    return read(JSON.parse(line));
  } catch {
    return null;
  }
}
