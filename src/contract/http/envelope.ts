import { Type } from 'typebox';

/**
 * The envelope of every response of the API: `code` 0 and "success", or an error code and a message that describes
 * the error.
 */
export interface Envelope<T> {
  code: number;
  message: string;
  data: T;
}

export function success<T>(data: T): Envelope<T> {
  return { code: 0, message: 'success', data };
}

export const SuccessEnvelope = Type.Object(
  {
    code: Type.Literal(0, { description: '0: the request succeeded' }),
    message: Type.Literal('success'),
    data: Type.Unknown({ description: 'The result' }),
  },
  { title: 'Envelope' },
);

export const ErrorEnvelope = Type.Object(
  {
    code: Type.Integer({ description: 'Non-zero error code' }),
    message: Type.String({ description: 'What failed, why, and what to do' }),
    data: Type.Object({}, { additionalProperties: true, description: 'Details, which depend on the code' }),
  },
  { title: 'Error' },
);
