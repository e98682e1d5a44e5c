import type { BusRequests, PhoneStatus } from '../bus/messages.ts';

type Report = Pick<BusRequests['control-plane.report']['request'], 'complete' | 'phones'>;

/**
 * One phone's current status, and whether it is settled: neither the host nor the control plane has news about it.
 */
export interface ReportedPhone {
  status: PhoneStatus;
  isSettled: boolean;
}

/**
 * Every third heartbeat (6 s) names all phones. The interval is measured by the clock rather than by counting
 * reports, because changes trigger extra reports. A lost message is thus repaired within 6 s, which leaves 4 s of the
 * 10 s within which a phone without a session must be available again.
 */
const COMPLETE_EVERY_HEARTBEATS = 2.5;

/**
 * Decides which phones a host's next report names: those that changed and those that are not yet in their desired
 * state, or all of them when a complete report is due. A heartbeat of a thousand idle phones therefore costs about as
 * much as one of none.
 */
export class ReportPlan {
  private readonly completeEveryMs: number;
  /** The last status of each phone that the control plane accepted, as JSON. */
  private readonly accepted = new Map<string, string>();
  private completeAt = Number.NEGATIVE_INFINITY;
  /** True while the last report is unacknowledged. */
  private isInDoubt = true;

  constructor({ heartbeatMs }: { heartbeatMs: number }) {
    this.completeEveryMs = heartbeatMs * COMPLETE_EVERY_HEARTBEATS;
  }

  /**
   * Makes the next report complete. Called when the control plane asks for everything, or when its last answer may be
   * out of date.
   */
  requireComplete(): void {
    this.isInDoubt = true;
  }

  /**
   * Builds the next report. One report is in flight at a time: until `onAccepted` of the last one has been called, the
   * next one is complete.
   */
  next(phones: readonly ReportedPhone[]): { report: Report; onAccepted: () => void } {
    const now = performance.now();
    const texts = new Map(phones.map(({ status }) => [status.description.id, JSON.stringify(status)]));
    const hasLeft = [...this.accepted.keys()].some((id) => !texts.has(id));
    const complete = this.isInDoubt || hasLeft || now - this.completeAt >= this.completeEveryMs;
    const hasChanged = ({ status: { description }, isSettled }: ReportedPhone) =>
      !isSettled || this.accepted.get(description.id) !== texts.get(description.id);
    const named = (complete ? phones : phones.filter(hasChanged)).map(({ status }) => status);
    this.isInDoubt = true;
    const onAccepted = () => {
      this.isInDoubt = false;
      if (complete) {
        this.completeAt = now;
        this.accepted.clear();
      }
      for (const { description } of named) this.accepted.set(description.id, texts.get(description.id)!);
    };
    return { report: { complete, phones: named }, onAccepted };
  }
}
