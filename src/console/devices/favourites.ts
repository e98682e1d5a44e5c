import { useSyncExternalStore } from 'react';

const ITEM = 'phonebooth.favourites';
/** Maximum number of favourites. The oldest are dropped. */
const MOST = 50;

/** Ids of the phones that were starred in this browser, oldest first. They are not secret. */
let favourites: readonly string[] = read();
const listeners = new Set<() => void>();

function read(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(ITEM) ?? '[]');
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(-MOST) : [];
  } catch {
    return [];
  }
}

function set(next: readonly string[]): void {
  favourites = next;
  for (const listener of listeners) listener();
}

const isOfUs = ({ key }: StorageEvent) => key === ITEM || key === null;
const onStorage = (event: StorageEvent) => isOfUs(event) && set(read());

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', onStorage);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('storage', onStorage);
  };
}

export const useFavourites = (): readonly string[] => useSyncExternalStore(subscribe, () => favourites);

/** Adds a phone to the favourites, or removes it. */
export function toggleFavourite(id: string): void {
  const others = favourites.filter((one) => one !== id);
  const next = others.length < favourites.length ? others : [...others, id].slice(-MOST);
  localStorage.setItem(ITEM, JSON.stringify(next));
  set(next);
}
