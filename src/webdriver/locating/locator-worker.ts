import { parentPort } from 'node:worker_threads';
import { DOMParser, type Element, type Node } from '@xmldom/xmldom';
import xpath from 'xpath';
import { matchSelector, type PlainElement } from './match-selector.ts';
import type { UiSelector } from './ui-selector.ts';

/** A search on one screen. `within`: index of the element below which to search; -1: the whole screen. */
export type LocatorJob = { within: number } & (
  | { by: 'xpath'; source: string; expression: string }
  | { by: 'selector'; elements: PlainElement[]; selector: UiSelector }
);

/** The first message of a thread, when it has loaded its modules. */
export type LocatorMessage = LocatorResult | 'ready';

/** The indexes of the elements, in document order, or why the expression is invalid. */
export type LocatorResult = { indexes: number[] } | { invalid: string };

parentPort!.postMessage('ready' satisfies LocatorMessage);
parentPort!.on('message', (job: LocatorJob) => parentPort!.postMessage(run(job)));

function run(job: LocatorJob): LocatorResult {
  try {
    if (job.by === 'selector') return { indexes: matchSelector(job.elements, job.selector, job.within) };
    return { indexes: evaluate(job) };
  } catch (error) {
    return { invalid: error instanceof Error ? error.message.slice(0, 200) : 'it cannot be evaluated' };
  }
}

function evaluate({ source, expression, within }: Extract<LocatorJob, { by: 'xpath' }>): number[] {
  const document = new DOMParser().parseFromString(source, 'text/xml');
  // The first element stands for the screen as a whole and is not an element of it.
  const nodes = elementsBelow(document.documentElement!);
  const context = within === -1 ? document : nodes[within]!;
  const found = xpath.select(expression, context as unknown as globalThis.Node);
  if (!Array.isArray(found)) throw new Error('its result must be elements');
  const indexes = new Map<unknown, number>(nodes.map((node, index) => [node, index]));
  const results = found
    .filter((node) => (node as unknown) !== document.documentElement)
    .map((node) => indexes.get(node));
  if (results.includes(undefined)) throw new Error('its result must be elements of the screen');
  return [...new Set(results as number[])].sort((a, b) => a - b);
}

function elementsBelow(root: Element): Element[] {
  const found: Element[] = [];
  const open: Node[] = [...root.childNodes].reverse();
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.nodeType !== node.ELEMENT_NODE) continue;
    found.push(node as Element);
    open.push(...[...node.childNodes].reverse());
  }
  return found;
}
