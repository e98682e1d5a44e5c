/**
 * Slots that many subjects share. There is a limit for all and a lower one for each subject, so that one subject
 * never exhausts the slots.
 */
export class Slots {
  readonly total: number;
  readonly perSubject: number;
  private readonly taken = new Map<string, number>();
  private inUse = 0;

  constructor({ total, perSubject }: { total: number; perSubject: number }) {
    this.total = total;
    this.perSubject = perSubject;
  }

  /**
   * Reserves a slot and returns a function that releases it; further calls of that function have no effect. Otherwise
   * returns which limit is reached.
   */
  reserve(subject: string): (() => void) | 'subject-full' | 'full' {
    const own = this.taken.get(subject) ?? 0;
    if (own >= this.perSubject) return 'subject-full';
    if (this.inUse >= this.total) return 'full';
    this.taken.set(subject, own + 1);
    this.inUse += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.release(subject);
      isHeld = false;
    };
  }

  private release(subject: string): void {
    this.inUse -= 1;
    const left = this.taken.get(subject)! - 1;
    if (left > 0) this.taken.set(subject, left);
    else this.taken.delete(subject);
  }
}
