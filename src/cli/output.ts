import { type Command, InvalidArgumentError, Option } from 'commander';
import { isName, NAME_WORDS } from '../contract/http/text.ts';

export interface JsonOptions {
  json?: boolean;
}

export interface ListOptions extends JsonOptions {
  jsonl?: boolean;
}

/** Adds `--json`, which prints the objects of the API: its names, and its times in ISO 8601. */
export const addJson = (command: Command): Command => command.option('--json', 'print the result as JSON');

/** Adds `--json`, which prints an array, and `--jsonl`. */
export const addListJson = (command: Command): Command =>
  command
    .option('--json', 'print a JSON array')
    .addOption(new Option('--jsonl', 'print one JSON object per line').conflicts('json'));

export function printResult(options: JsonOptions, result: object, text: string): void {
  print(options.json ? JSON.stringify(result) : text);
}

/** Prints a list. With `--jsonl` each item is printed as soon as it is read. `text` is called with at least one item. */
export async function printList<T extends object>(
  options: ListOptions,
  items: Iterable<T> | AsyncIterable<T>,
  { empty, text }: { empty: string; text: (items: T[]) => string },
): Promise<void> {
  const all: T[] = [];
  for await (const item of items) {
    if (options.jsonl) print(JSON.stringify(item));
    else all.push(item);
  }
  if (options.jsonl) return;
  if (options.json) print(JSON.stringify(all));
  else print(all.length === 0 ? empty : text(all));
}

/** Formats rows as columns, each as wide as its widest cell. The first row is the header. */
export function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/**
 * Replaces control characters, except line breaks and tabs. Texts of the service, of hosts and of apps could otherwise
 * control the terminal.
 */
export const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '\ufffd');

/** Parses a name that a user gives to a key, an account or the like. @throws InvalidArgumentError */
export function label(text: string): string {
  if (!isName(text)) throw new InvalidArgumentError(`must be ${NAME_WORDS}`);
  return text;
}

/** Returns a parser of whole numbers, which throws InvalidArgumentError. `what` names them, such as `number of days`. */
export const whole =
  (what: string, low: number, high: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= low && value <= high))
      throw new InvalidArgumentError(`must be a whole ${what} from ${low} to ${high}`);
    return value;
  };

export type Limit = number | 'unlimited';

/**
 * Returns `'unlimited'` and not null: the option parser turns null into an empty string.
 * @throws InvalidArgumentError
 */
export function limit(text: string): Limit {
  if (text === 'unlimited') return text;
  if (!/^\d{1,9}$/.test(text))
    throw new InvalidArgumentError('must be a whole number of at most 9 digits, or unlimited');
  return Number(text);
}

/** Converts to the store's representation: null is unlimited, undefined is not specified. */
export const limitOrNull = (said: Limit | undefined): number | null | undefined =>
  said === 'unlimited' ? null : said;
