/**
 * Handles that stay open after the test file that opened them, because later files in the same process use them too.
 * They are counted on `globalThis`, because vitest evaluates the check of leaks anew for each file.
 */
const KEPT = Symbol.for('phonebooth-test.kept-open');
const kept = globalThis as { [KEPT]?: string[] };

/** Opens something that stays open until the process ends. Nothing else may be opened meanwhile. */
export async function keptOpen<T>(open: () => Promise<T>): Promise<T> {
  const before = process.getActiveResourcesInfo();
  const opened = await open();
  const after = process.getActiveResourcesInfo();
  for (const kind of before) {
    const index = after.indexOf(kind);
    if (index >= 0) after.splice(index, 1);
  }
  // A timer ends by itself.
  kept[KEPT] = [...(kept[KEPT] ?? []), ...after.filter((kind) => kind !== 'Timeout')];
  return opened;
}

/** The kinds of the handles that are kept open, one entry for each handle. */
export const keptOpenHandles = (): readonly string[] => kept[KEPT] ?? [];
