import type { BusRequests, PhoneStatus } from '../bus/messages.ts';

type Report = Pick<BusRequests['control-plane.report']['request'], 'complete' | 'phones'>;

/** One phone as it is now, and whether neither side has anything to tell the other about it. */
export interface ReportedPhone {
  status: PhoneStatus;
  isSettled: boolean;
}

/**
 * Every third heartbeat names all phones, by the clock and not by counting, since changes are reported at once: 6 s.
 * A message that was lost is made good by then, and 4 s are left of the 10 in which a free phone is available again.
 */
const COMPLETE_EVERY_HEARTBEATS = 2.5;

/**
 * Which phones a host's next report names: those with news and those that are not yet what they should be, or all of
 * them, when that is due. So a heartbeat of a thousand idle phones costs about as much as one of none.
 */
export class ReportPlan {
  private readonly completeEveryMs: number;
  /** What the control plane last took of each phone, as JSON. */
  private readonly taken = new Map<string, string>();
  private completeAt = Number.NEGATIVE_INFINITY;
  /** Whatever was said last may not have arrived. */
  private isInDoubt = true;

  constructor({ heartbeatMs }: { heartbeatMs: number }) {
    this.completeEveryMs = heartbeatMs * COMPLETE_EVERY_HEARTBEATS;
  }

  /** The control plane asked for everything, or what it answered may be out of date: the next report is complete. */
  startOver(): void {
    this.isInDoubt = true;
  }

  /** One report at a time: until `onTaken` of the last one was called, the next is complete. */
  next(phones: readonly ReportedPhone[]): { report: Report; onTaken: () => void } {
    const now = performance.now();
    const texts = new Map(phones.map(({ status }) => [status.description.id, JSON.stringify(status)]));
    const hasLeft = [...this.taken.keys()].some((id) => !texts.has(id));
    const complete = this.isInDoubt || hasLeft || now - this.completeAt >= this.completeEveryMs;
    const isNews = ({ status: { description }, isSettled }: ReportedPhone) =>
      !isSettled || this.taken.get(description.id) !== texts.get(description.id);
    const named = (complete ? phones : phones.filter(isNews)).map(({ status }) => status);
    this.isInDoubt = true;
    const onTaken = () => {
      this.isInDoubt = false;
      if (complete) {
        this.completeAt = now;
        this.taken.clear();
      }
      for (const { description } of named) this.taken.set(description.id, texts.get(description.id)!);
    };
    return { report: { complete, phones: named }, onTaken };
  }
}
