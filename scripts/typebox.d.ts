/**
 * The types of TypeBox that the declarations of the SDK use, so that users of the SDK do not need to install TypeBox. A
 * schema only says which type its value has.
 */
export * as Type from './typebox.js';

declare const value: unique symbol;
declare const optional: unique symbol;

export type TSchema = object;
/** The type of a schema's values. Enumerations and integers are also declared as plain objects. */
export type Static<T> = T extends { readonly [value]: infer V }
  ? V
  : T extends { readonly enum: infer E extends readonly unknown[] }
    ? E[number]
    : T extends { readonly type: 'integer' }
      ? number
      : unknown;

interface Schema<V> {
  readonly [value]: V;
}
export interface TString extends Schema<string> {}
export interface TNumber extends Schema<number> {}
export interface TInteger extends Schema<number> {}
export interface TBoolean extends Schema<boolean> {}
export interface TNull extends Schema<null> {}
export interface TUnknown extends Schema<unknown> {}
export interface TLiteral<V> extends Schema<V> {}
export interface TEnum<V extends readonly unknown[]> extends Schema<V[number]> {}
export interface TArray<T> extends Schema<Static<T>[]> {}
export interface TUnion<T extends readonly unknown[]> extends Schema<Static<T[number]>> {}
export type TOptional<T> = T & { readonly [optional]: true };

type OptionalNames<P> = { [K in keyof P]: P[K] extends { [optional]: true } ? K : never }[keyof P];
type Members<P> = { [K in Exclude<keyof P, OptionalNames<P>>]: Static<P[K]> } & {
  [K in OptionalNames<P>]?: Static<P[K]>;
};
/** As one object type, which editors display as its members. */
type Flat<T> = { [K in keyof T]: T[K] };
export interface TObject<P = object> extends Schema<Flat<Members<P>>> {}
