import { type Static, Type } from 'typebox';

/** Maximum number of hours in one response: a month. */
export const MAX_UTILISATION_HOURS = 744;

/** The device time per hour that was offered and that was in use. */
export const Utilisation = Type.Object(
  {
    hours: Type.Array(
      Type.Object({
        hour: Type.String({ format: 'date-time', description: 'When the hour begins, UTC' }),
        in_use_minutes: Type.Number({ description: 'Device-minutes that sessions had of it' }),
        offered_minutes: Type.Integer({
          description:
            'Device-minutes offered: of each minute that the service ran, the phones that were available or busy',
        }),
        sampled_minutes: Type.Integer({
          minimum: 0,
          maximum: 60,
          description:
            'Minutes of the hour that the service ran; of the others it is not known what was offered',
        }),
      }),
      { description: 'In order; the last is the hour that it is' },
    ),
  },
  { title: 'Utilisation' },
);
export type Utilisation = Static<typeof Utilisation>;
