import { type TObject, type TSchema, Type } from 'typebox';
import type { ErrorName } from './errors.ts';

/** One operation of the HTTP API; its path is relative to the base URL, which ends in the version, `/v1`. */
export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  /** What the summary has no room for: effects, and what the fields do not say. */
  description?: string;
  /** Who may: any key, only those that may borrow phones (`user` and `admin`), or only those of operators (`admin`). */
  access: 'read' | 'borrow' | 'admin';
  params: TObject;
  query: TObject;
  body: TObject;
  /** The body is a file, as it is with one of these media types, or as the one file of a form. */
  upload?: readonly string[];
  /** Schema of the envelope's data, or the media type of an answer that is not JSON. */
  answer: TSchema | 'image/png' | 'image/*' | 'text/event-stream';
  /** The server-sent events, by name, of a stream, or of what takes the answer's place with `Accept: text/event-stream`. */
  events?: Readonly<Record<string, TSchema>>;
  /** With `format=jsonl` or `Accept: application/jsonl` it answers all items, one line of JSON each, not one page. */
  asLines?: boolean;
  /** Errors that belong to this operation, beside those that any may have. */
  errors: ErrorName[];
  /** Whether a repeat with the same `Idempotency-Key` header answers the first one's result. */
  idempotencyKey?: boolean;
}

/** An object that has these fields and no others: a typing error must not pass silently. */
export const strict = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

export const none = strict({});

export const nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const timestamp = (description: string) => Type.String({ format: 'date-time', description });
