import type { Sql, Value } from './engine.ts';

/** Queries whose texts are kept. There are a few hundred; text that varies without end would otherwise fill the memory. */
const MAX_TEXTS = 2_000;

/** A step from one template or parameter of a query to the next. */
class TextNode {
  text: string | undefined;
  parameter: TextNode | undefined;
  readonly templates = new Map<unknown, TextNode>();

  follow(template: unknown): TextNode {
    let node = this.templates.get(template);
    if (!node) {
      node = new TextNode();
      this.templates.set(template, node);
    }
    return node;
  }
}

/**
 * Renders queries as text with the placeholders of the engine. `placeholder` gets the index of the parameter, from 1.
 * The text depends only on the templates that a query consists of, and is kept for each sequence of them: rendering a
 * long text, and hashing it to find its prepared statement, takes about as long as executing a short statement.
 */
export class QueryTexts {
  private readonly placeholder: (index: number) => string;
  private root = new TextNode();
  private kept = 0;

  constructor(placeholder: (index: number) => string) {
    this.placeholder = placeholder;
  }

  /** The text of the query, the same string at each call, and the values of its parameters. */
  read(query: Sql<unknown>): { text: string; values: Value[] } {
    const values: Value[] = [];
    const node = follow(this.root, query, values);
    if (!node) return { text: this.render(query), values };
    node.text ??= this.keep(this.render(query));
    return { text: node.text, values };
  }

  private keep(text: string): string {
    this.kept += 1;
    if (this.kept > MAX_TEXTS) {
      this.root = new TextNode();
      this.kept = 0;
    }
    return text;
  }

  private render(query: Sql<unknown>): string {
    let parameters = 0;
    const write = (piece: Sql<unknown>): string =>
      piece.strings.reduce((text, part, at) => {
        const value = piece.values[at - 1] ?? null;
        if (isSql(value)) return text + write(value) + part;
        parameters += 1;
        return text + this.placeholder(parameters) + part;
      });
    return write(query);
  }
}

/**
 * Appends the values of the query, and returns the node of its text; null if `list` built a part of it. The strings of a
 * template are the same array at each evaluation, and `raw` is identified by its text.
 */
function follow(
  from: TextNode | null,
  { strings, values: pieces }: Sql<unknown>,
  values: Value[],
): TextNode | null {
  const isConstant = pieces.length === 0 || 'raw' in strings;
  let node = isConstant ? (from?.follow(pieces.length === 0 ? strings[0] : strings) ?? null) : null;
  for (const piece of pieces) {
    if (isSql(piece)) {
      node = follow(node, piece, values);
    } else {
      values.push(piece ?? null);
      if (node) node = node.parameter ??= new TextNode();
    }
  }
  return node;
}

function isSql(value: Value | Sql<unknown>): value is Sql<unknown> {
  return typeof value === 'object' && value !== null && 'strings' in value;
}
