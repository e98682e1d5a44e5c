import { type TObject, type TSchema, Type } from 'typebox';
import type { ErrorName } from './errors.ts';

/** One operation of the HTTP API; its path is relative to the base URL, which ends in the version, `/v1`. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  /** Details that do not fit in the summary: effects, and what the fields do not express. */
  description?: string;
  /**
   * Which keys may call it: any key, only keys that may borrow phones (`user` and `admin`), or only keys of operators
   * (`admin`).
   */
  access: 'read' | 'borrow' | 'admin';
  params: TObject;
  query: TObject;
  body: TObject;
  /** The body is a file: either directly, with one of these media types, or as the only file of a form. */
  upload?: readonly string[];
  /** The setting that limits the size of the file. */
  uploadLimit?: string;
  /** Schema of the envelope's `data`, or the media type of a response that is not JSON. */
  answer: TSchema | 'image/png' | 'image/*' | 'application/octet-stream' | 'text/event-stream';
  /** Media types of a response that is a file, if they are known. */
  fileTypes?: readonly string[];
  /** Whether the response to a request with `Range` is a part of the file. */
  ranges?: boolean;
  /** The server-sent events by name, for a stream, or for the response to `Accept: text/event-stream`. */
  events?: Readonly<Record<string, TSchema>>;
  /**
   * With `format=jsonl` or `Accept: application/jsonl` the response contains all items, one JSON object per line,
   * instead of one page.
   */
  asLines?: boolean;
  /** Errors that are specific to this operation, in addition to those that any operation may return. */
  errors: ErrorName[];
  /** Whether a repeat with the same `Idempotency-Key` header returns the result of the first request. */
  idempotencyKey?: boolean;
}

/** An object without additional properties: a misspelt property name must not be ignored. */
export const strict = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

export const none = strict({});

export const nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const timestamp = (description: string) => Type.String({ format: 'date-time', description });

/** An optional filter. An empty string does not filter. */
export const filter = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));
