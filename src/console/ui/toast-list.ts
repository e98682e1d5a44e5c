export interface Toast {
  id: number;
  message: string;
  tone: 'plain' | 'bad';
  action?: { label: string; run(): void } | undefined;
}

export type ToastOptions = Partial<Pick<Toast, 'tone' | 'action'>>;

export const LIFETIME_MS = 6_000;
/** More than this at once is noise: the oldest go. */
export const MOST = 3;

/** What is said for a few seconds. */
export class ToastList {
  readonly #listeners = new Set<() => void>();
  readonly #ends = new Map<number, ReturnType<typeof setTimeout>>();
  #toasts: readonly Toast[] = [];
  #lastId = 0;

  /** Oldest first; the same array until something changes. */
  readonly list = (): readonly Toast[] => this.#toasts;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same words are not there twice at once: said again, they stay as long from then on. */
  say(message: string, { tone = 'plain', action }: ToastOptions = {}): void {
    const said = action ? undefined : this.#toasts.find((shown) => shown.message === message);
    const toast = said ?? this.#add({ message, tone, action });
    clearTimeout(this.#ends.get(toast.id));
    const end = setTimeout(() => this.dismiss(toast.id), LIFETIME_MS);
    this.#ends.set(toast.id, end);
  }

  dismiss(id: number): void {
    clearTimeout(this.#ends.get(id));
    this.#ends.delete(id);
    this.#set(this.#toasts.filter((toast) => toast.id !== id));
  }

  #add(fields: Omit<Toast, 'id'>): Toast {
    this.#lastId += 1;
    const toast = { id: this.#lastId, ...fields };
    this.#set([...this.#toasts, toast].slice(-MOST));
    return toast;
  }

  #set(next: readonly Toast[]): void {
    this.#toasts = next;
    for (const listener of this.#listeners) listener();
  }
}
