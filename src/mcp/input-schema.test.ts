import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { URL_WITH_SCHEME } from '../contract/http/text.ts';
import { inputSchema } from './input-schema.ts';
import { fields } from './tool.ts';

const schema = inputSchema(
  fields({
    x: Type.Number({ minimum: 0, maximum: 1 }),
    how: Type.Optional(Type.Enum(['fast', 'slow', 'twice'], { default: 'slow' })),
    url: Type.Optional(Type.String({ pattern: URL_WITH_SCHEME, maxLength: 10 })),
  }),
);
const check = (value: unknown) => schema['~standard'].validate(value);
const problems = async (value: unknown) => ((await check(value)).issues ?? []).map(({ message }) => message);

test('applies defaults to omitted arguments and drops null values', async () => {
  expect(await check({ x: 0.5, how: null })).toEqual({ value: { x: 0.5, how: 'slow' } });
});

test('names each invalid argument with its valid values', async () => {
  expect(await problems({})).toEqual(['x is required']);
  expect(await problems({ x: 540 })).toEqual(['x must be a number from 0 to 1']);
  expect(await problems({ x: 0, how: 'soon' })).toEqual(['how must be fast, slow or twice']);
  expect(await problems({ x: 0, url: 'nope' })).toEqual([
    'url must be a string of at most 10 characters: a URL with its scheme in lower case, such as https://example.com',
  ]);
  expect(await problems({ x: 0, y: 0 })).toEqual([
    'y is not a known field; the known fields are x, how, url',
  ]);
  expect(await problems('no object')).toEqual(['arguments must be an object']);
});

test('is published as plain JSON Schema', () => {
  expect(schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })).toEqual({
    type: 'object',
    required: ['x'],
    additionalProperties: false,
    properties: {
      x: { type: 'number', minimum: 0, maximum: 1 },
      how: { type: 'string', enum: ['fast', 'slow', 'twice'], default: 'slow' },
      url: { type: 'string', pattern: URL_WITH_SCHEME, maxLength: 10 },
    },
  });
});
