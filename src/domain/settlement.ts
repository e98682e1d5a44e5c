import { monthAfter } from './month.ts';

/** What a session reserved, and how long it had its phone. Times in Unix milliseconds. */
export interface Reservation {
  /** The month that the session was created in, `YYYY-MM`. */
  month: string;
  minutesReserved: number;
  /**
   * The part of `minutesReserved` that was reserved by extending in the month after `month`. There is never a
   * third month: a session lasts a week at most.
   */
  minutesNextMonth: number;
  connectedAt: number | null;
  /** The end of use; for a host that was lost, when it was last heard of. */
  usedUntil: number;
}

export interface Settlement {
  minutesCharged: number;
  /** What goes back, to the months it was reserved in, the latest first. */
  refunds: { month: string; minutes: number }[];
}

/**
 * Minutes used, rounded up, at least one and at most the reservation; nothing when the phone was never ready.
 * The rest goes back.
 */
export function settle(reservation: Reservation): Settlement {
  const { connectedAt, usedUntil, minutesReserved, minutesNextMonth, month } = reservation;
  const used = connectedAt === null ? 0 : Math.max(1, Math.ceil((usedUntil - connectedAt) / 60_000));
  const minutesCharged = Math.min(used, minutesReserved);
  const rest = minutesReserved - minutesCharged;
  const later = Math.min(rest, minutesNextMonth);
  const refunds = [
    { month: monthAfter(month), minutes: later },
    { month, minutes: rest - later },
  ];
  return { minutesCharged, refunds: refunds.filter((refund) => refund.minutes > 0) };
}
