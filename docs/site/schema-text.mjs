/** Describes a JSON schema as a short Markdown text, such as "whole number from 1 to 480, default `30`". */
export function typeText(schema) {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return `[${name}](/docs/api/schemas/#${name.toLowerCase()})`;
  }
  if (schema.allOf) return schema.allOf.map(typeText).join(' with ');
  const text = schema.anyOf ? alternatives(schema.anyOf) : single(schema);
  return 'default' in schema ? `${text}, default ${inCode(schema.default)}` : text;
}

const inCode = (value) => `\`${typeof value === 'string' && value !== '' ? value : JSON.stringify(value)}\``;

function alternatives(schemas) {
  const texts = [...new Set(schemas.map(typeText))];
  return [...texts.filter((text) => text !== 'null'), ...texts.filter((text) => text === 'null')].join(
    ' or ',
  );
}

function single(schema) {
  if ('const' in schema) return inCode(schema.const);
  if (schema.enum) return schema.enum.map(inCode).join(', ');
  if (Array.isArray(schema.type)) {
    return alternatives(
      schema.type.map((type) => ({ ...schema, type, default: undefined })).map(withoutDefault),
    );
  }
  switch (schema.type) {
    case 'array':
      return `list of ${typeText(schema.items)}${bounds(schema.minItems, schema.maxItems, 'items')}`;
    case 'object':
      return objectText(schema);
    case 'integer':
      return `whole number${range(schema)}`;
    case 'number':
      return `number${range(schema)}`;
    case 'string':
      return stringText(schema);
    default:
      return schema.type ?? 'any value';
  }
}

const withoutDefault = ({ default: _, ...schema }) => schema;

/** The fields of an object without a name. */
function objectText({ properties = {} }) {
  const fields = Object.entries(properties).map(([name, schema]) => `\`${name}\`: ${typeText(schema)}`);
  return fields.length === 0 ? 'object' : `object (${fields.join('; ')})`;
}

function range({ minimum, maximum }) {
  if (minimum !== undefined && maximum !== undefined)
    return ` from ${grouped(minimum)} to ${grouped(maximum)}`;
  if (minimum !== undefined) return `, at least ${grouped(minimum)}`;
  return maximum === undefined ? '' : `, at most ${grouped(maximum)}`;
}

function stringText({ format, pattern, minLength, maxLength }) {
  const kind = { 'date-time': 'time, ISO 8601', uri: 'URL', binary: 'file' }[format] ?? 'text';
  const shape = pattern === undefined ? '' : `, matches \`${pattern}\``;
  return `${kind}${bounds(minLength, maxLength, 'characters')}${shape}`;
}

function bounds(least, most, unit) {
  if (least > 1 && most !== undefined) return `, ${grouped(least)} to ${grouped(most)} ${unit}`;
  if (most !== undefined) return `, at most ${grouped(most)} ${unit}`;
  return least > 1 ? `, at least ${grouped(least)} ${unit}` : '';
}

const grouped = (value) => value.toLocaleString('en');
