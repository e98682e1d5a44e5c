import { monthAfter } from './month.ts';

/** What a session reserved, and how long it used its phone. Times are in Unix milliseconds. */
export interface Reservation {
  /** The month that the session was created in, `YYYY-MM`. */
  month: string;
  minutesReserved: number;
  /**
   * The part of `minutesReserved` that was reserved by extensions in the month after `month`. There is never a third
   * month, because a session lasts a week at most.
   */
  minutesNextMonth: number;
  connectedAt: number | null;
  /** The end of use. If the host was lost, the time of the last contact with it. */
  usedUntil: number;
}

export interface Settlement {
  minutesCharged: number;
  /** Minutes returned to the months in which they were reserved, latest month first. */
  refunds: { month: string; minutes: number }[];
}

/**
 * Charges the minutes used, rounded up, at least one and at most the reservation. Charges nothing when the phone was
 * never ready. The rest of the reservation is refunded.
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
