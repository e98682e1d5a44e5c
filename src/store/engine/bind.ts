import type { Engine } from './engine.ts';

/** Functions whose first parameter is the engine, without that parameter. */
type Bound<T> = {
  [Name in keyof T]: T[Name] extends (engine: Engine, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Binds the functions of an aggregate to one engine. */
export function bind<T extends Record<string, (engine: Engine, ...rest: never[]) => unknown>>(
  engine: Engine,
  functions: T,
): Bound<T> {
  const bound = Object.entries(functions).map(([name, run]) => [
    name,
    (...rest: never[]) => run(engine, ...rest),
  ]);
  return Object.fromEntries(bound) as Bound<T>;
}
