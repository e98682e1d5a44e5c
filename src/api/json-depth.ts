/** Far more than any request needs. */
const MAX_DEPTH = 100;

/** What a body that `exceedsMaxDepth` does not comply with. */
export const DEPTH_LIMIT = `must have at most ${MAX_DEPTH} levels of nested arrays and objects`;

/**
 * Whether parsed JSON is nested too deeply. Code that handles it recursively, such as `JSON.stringify` and the
 * validation of unique items, would exceed the stack.
 */
export function exceedsMaxDepth(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
