import { type TSchema, Type } from 'typebox';

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

export const successSchema = <T extends TSchema>(data: T) =>
  Type.Object({ code: Type.Literal(0), message: Type.Literal('success'), data });

export const ErrorEnvelope = Type.Object(
  {
    code: Type.Integer({ description: 'Non-zero error code' }),
    message: Type.String(),
    data: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'Error' },
);
