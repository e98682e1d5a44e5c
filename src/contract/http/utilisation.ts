import { type Static, Type } from 'typebox';
import { none, type Operation, strict } from './operation.ts';

/** Maximum number of hours in one response: a month. */
export const MAX_UTILISATION_HOURS = 744;

/** The device time per hour that was offered and that was in use. */
export const Utilisation = Type.Object(
  {
    hours: Type.Array(
      Type.Object({
        hour: Type.String({ format: 'date-time', description: 'Start of the hour, UTC' }),
        in_use_minutes: Type.Number({ description: 'Device-minutes in which sessions held a device' }),
        offered_minutes: Type.Integer({
          description:
            'Device-minutes offered: the sum, over each minute that the service ran, of the phones that were ' +
            'available or busy',
        }),
        sampled_minutes: Type.Integer({
          minimum: 0,
          maximum: 60,
          description:
            'Minutes of the hour during which the service ran; it has no data about the other minutes',
        }),
      }),
      { description: 'Hours in chronological order; the last one is the current hour' },
    ),
  },
  { title: 'Utilisation' },
);
export type Utilisation = Static<typeof Utilisation>;

export const utilisationOperations = {
  'admin.utilisation.get': {
    method: 'GET',
    path: '/admin/utilisation',
    summary: 'Device-minutes in use and offered per hour',
    access: 'admin',
    params: none,
    query: strict({
      hours: Type.Integer({
        minimum: 1,
        maximum: MAX_UTILISATION_HOURS,
        default: 24,
        description: 'Number of hours, up to and including the current one',
      }),
    }),
    body: none,
    answer: Utilisation,
    errors: [],
  },
} as const satisfies Record<string, Operation>;
