import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../deploy/deployment.ts';

/** Reads a page of docs/ from the repository. */
export const pageOf = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');

/** Returns the text under a heading of any level, up to the next heading of the same or a higher level. */
export function sectionOf(page: string, heading: string): string {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start < 0) throw new Error(`heading not found: “${heading}”`);
  const level = /^#+/.exec(lines[start]!)![0].length;
  const end = lines.findIndex(
    (line, at) => at > start && /^#+ /.test(line) && /^#+/.exec(line)![0].length <= level,
  );
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}

/** Returns the rows of all tables in a text, without the header rows. Each row is an array of cells in Markdown. */
export function rowsOf(text: string): string[][] {
  const lines = text.split('\n');
  return lines
    .filter(
      (line, at) =>
        line.startsWith('|') && !/^\|[-|\s]+\|$/.test(line) && !/^\|[-|\s]+\|$/.test(lines[at + 1] ?? ''),
    )
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** Returns the first cell of each row, without its backticks. */
export const namesIn = (text: string): string[] => rowsOf(text).map(([name]) => name!.replaceAll('`', ''));
