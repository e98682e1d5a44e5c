import { useEffect, useSyncExternalStore } from 'react';

/** An entry of the command palette. */
export interface Command {
  /** Unique in the palette. */
  id: string;
  label: string;
  /** Heading under which the palette lists it. */
  group: string;
  /** The keyboard shortcut, for display. */
  hint?: string;
  disabled?: boolean;
  run(): void;
}

/** The commands of the current page, by the part of it that offers them. */
const parts = new Map<string, readonly Command[]>();
let ofPage: readonly Command[] = [];
const listeners = new Set<() => void>();

function setCommands(part: string, commands: readonly Command[]): void {
  parts.set(part, commands);
  // In the same order, whichever part appears first.
  ofPage = [...parts].sort(([one], [other]) => one.localeCompare(other)).flatMap(([, own]) => own);
  for (const listener of listeners) listener();
}

/** Offers commands of a part of the current page in the palette while the component is mounted. */
export function useCommands(part: string, commands: readonly Command[]): void {
  useEffect(() => setCommands(part, commands));
  useEffect(() => () => setCommands(part, []), [part]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePageCommands = (): readonly Command[] => useSyncExternalStore(subscribe, () => ofPage);

/** Returns the commands whose label or group contains each word of a search, ignoring case. */
export function findCommands(commands: readonly Command[], search: string): readonly Command[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ label, group, disabled }) => {
    const text = `${group} ${label}`.toLowerCase();
    return !disabled && words.every((word) => text.includes(word));
  });
}
