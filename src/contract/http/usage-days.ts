import { type Static, Type } from 'typebox';

/**
 * The use of an account by day. A session counts on the day on which it was created, just as its charge counts in the
 * month in which it was created.
 */
export const UsageDays = Type.Object(
  {
    month: Type.String({ description: 'UTC calendar month, YYYY-MM' }),
    days: Type.Array(
      Type.Object({
        date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'UTC day, YYYY-MM-DD' }),
        sessions: Type.Integer({ description: 'Number of sessions created on this day' }),
        minutes: Type.Integer({
          description: 'Device-minutes charged for the sessions of this day that have ended',
        }),
        reserved: Type.Integer({
          description: 'Device-minutes reserved for the sessions of this day that have not ended',
        }),
      }),
      { description: 'Every day of the month, in order' },
    ),
  },
  { title: 'UsageDays' },
);
export type UsageDays = Static<typeof UsageDays>;
