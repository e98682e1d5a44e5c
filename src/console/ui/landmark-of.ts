/**
 * Returns the element in which to render what floats above a control: its dialog, which covers the rest of the page, or
 * its landmark, because all content of a page belongs in one. null: the body.
 */
export const landmarkOf = (control: Element | null): HTMLElement | null =>
  control?.closest<HTMLElement>('dialog, main, header') ?? null;
