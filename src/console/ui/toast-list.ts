export interface Toast {
  id: number;
  message: string;
  tone: 'plain' | 'bad';
  action?: { label: string; run(): void } | undefined;
}

export type ToastOptions = Partial<Pick<Toast, 'tone' | 'action'>>;

export const LIFETIME_MS = 6_000;
/** Maximum number of toasts at a time. The oldest are removed. */
export const MOST = 3;

/** Messages that are shown for a few seconds. */
export class ToastList {
  readonly #listeners = new Set<() => void>();
  readonly #ends = new Map<number, ReturnType<typeof setTimeout>>();
  #toasts: readonly Toast[] = [];
  #lastId = 0;

  /** Returns the toasts, oldest first. Returns the same array until something changes. */
  readonly list = (): readonly Toast[] => this.#toasts;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Shows a message. A message that is already shown is not added again, but its time restarts. */
  show(message: string, { tone = 'plain', action }: ToastOptions = {}): void {
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
