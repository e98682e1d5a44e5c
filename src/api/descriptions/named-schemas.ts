/** Schemas whose title is a name such as `Device` are components of a document, to which the document refers. */
export class NamedSchemas {
  readonly schemas: Record<string, object> = {};
  readonly #details: Readonly<Record<string, object>>;

  /** `details` are members that are added to a schema by its name. */
  constructor(details: Readonly<Record<string, object>> = {}) {
    this.#details = details;
  }

  /** Returns a copy of a schema, or of anything that contains schemas, in which the named ones are references. */
  refer<T>(value: T): T {
    return this.#refer(value) as T;
  }

  #refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#refer(item));
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.#refer(member)]));
    const name = 'type' in value && 'title' in value ? value.title : undefined;
    if (typeof name !== 'string' || !/^[A-Z]\w*$/.test(name)) return copy;
    const { title: _, ...schema } = copy;
    const known = this.schemas[name];
    const added = { ...schema, ...this.#details[name] };
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(added))
      throw new Error(`two schemas have the name ${name}; give one of them another title`);
    this.schemas[name] = added;
    return { $ref: `#/components/schemas/${name}` };
  }
}
