import type { UiSelector } from './ui-selector.ts';

/** An element as a thread receives it. */
export interface PlainElement {
  attributes: Readonly<Record<string, string>>;
  /** Index of the parent; -1: none. */
  parent: number;
}

/**
 * Returns the indexes of the elements that match, in document order. `within` limits them to those below one element.
 * Regular expressions are those of the client, so this runs in a thread that can be stopped.
 */
export function matchSelector(elements: PlainElement[], selector: UiSelector, within: number): number[] {
  const tests = selector.conditions.map(({ attribute, by, value }) => {
    const pattern = by === 'matches' ? new RegExp(`^(?:${value})$`, 's') : null;
    return ({ attributes }: PlainElement) => {
      const text = attributes[attribute] ?? '';
      if (pattern) return pattern.test(text);
      if (by === 'contains') return text.includes(value);
      return by === 'startsWith' ? text.startsWith(value) : text === value;
    };
  });
  const indexes = elements.keys().filter((index) => within === -1 || isBelow(elements, index, within));
  let matching = [...indexes].filter((index) => tests.every((test) => test(elements[index]!)));
  if (selector.instance !== null) matching = matching.slice(selector.instance, selector.instance + 1);
  const { child, sibling } = selector;
  if (child) return inOrder(matching.flatMap((index) => matchSelector(elements, child, index)));
  if (!sibling) return matching;
  const parents = [...new Set(matching.map((index) => elements[index]!.parent))];
  return inOrder(parents.flatMap((parent) => matchSelector(elements, sibling, parent)));
}

const inOrder = (indexes: number[]) => [...new Set(indexes)].sort((a, b) => a - b);

function isBelow(elements: PlainElement[], index: number, ancestor: number): boolean {
  for (let at = elements[index]!.parent; at !== -1; at = elements[at]!.parent)
    if (at === ancestor) return true;
  return false;
}
