/** A fenced block of shell commands in a page, and the instruction for the tests in the comment above it. */
export interface CommandBlock {
  page: string;
  line: number;
  text: string;
  /** For `not run`, `reason` explains why the tests do not run the block. */
  marker: { kind: 'run' } | { kind: 'not run'; reason: string } | null;
}

const MARKER = /^<!-- (?:(run)|not run: (.{10,})) -->$/;
/** Start of a command line. A block with such lines must be tagged `sh`. */
const COMMAND = /^(npx|npm|phonebooth|curl|git|docker|node|adb|nats-server|export|cd) /;

/**
 * Extracts the command blocks of a page.
 * @throws Error for a block of commands without the tag `sh`, which readers could not distinguish from output
 */
export function commandBlocksOf(page: string, markdown: string): CommandBlock[] {
  const lines = markdown.split('\n');
  const blocks: CommandBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const tag = /^```(\w*)/.exec(lines[at]!)?.[1];
    if (tag === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    if (end < 0) throw new Error(`${page}:${at + 1}: the block is not closed`);
    const text = lines.slice(at + 1, end).join('\n');
    if (tag === 'sh') blocks.push({ page, line: at + 1, text, marker: markerOf(lines[at - 1] ?? '') });
    else if (tag === '' && COMMAND.test(text)) throw new Error(`${page}:${at + 1}: tag commands with sh`);
    at = end;
  }
  return blocks;
}

function markerOf(line: string): CommandBlock['marker'] {
  const match = MARKER.exec(line);
  if (!match) return null;
  return match[1] ? { kind: 'run' } : { kind: 'not run', reason: match[2]! };
}
