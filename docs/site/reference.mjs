// Generates the reference of the HTTP API as Markdown pages, one for each group of operations and one for the schemas,
// from the OpenAPI document that the service publishes.
import { openApiDocument } from '../../src/api/descriptions/openapi.ts';
import { operations } from '../../src/contract/http/operations.ts';
import { typeText } from './schema-text.mjs';

const BASE_PATH = '/v1';
/** The default of PHONEBOOTH_MAX_DURATION. `/openapi.json` of a service has its own. */
const MAX_DURATION_MINUTES = 480;
const FOLDER = 'api/';
const COMMON_ERRORS = 'Errors of every route';
const ERROR_HEADS = ['HTTP', 'code', 'example'];

const ACCESS = {
  read: 'an API key with any role',
  borrow: 'a key with the role `user` or `admin`',
  admin: 'a key with the role `admin`',
};
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Returns the pages as `{ path, title, markdown }`. The path is relative to the front page of the site. */
export function referencePages() {
  const table = operations({ maxDurationMinutes: MAX_DURATION_MINUTES });
  const document = openApiDocument(BASE_PATH, table);
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => method in methods).map((method) => ({
      ...methods[method],
      method: method.toUpperCase(),
      path: `${BASE_PATH}${path}`,
      access: table[methods[method].operationId].access,
    })),
  );
  const common = commonErrors(listed);
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    path: `${FOLDER}${name}/`,
    operations: listed.filter(({ tags }) => tags.includes(name)),
    messages: Object.values(document.webhooks)
      .map(({ post }) => post)
      .filter(({ tags }) => tags.includes(name)),
  }));
  return [
    { path: FOLDER, title: 'API reference', markdown: indexOf(groups, document.components, common) },
    ...groups.map((group) => ({
      path: group.path,
      title: `API reference: ${group.name}`,
      markdown: pageOf(group, document.components, common),
    })),
    { path: `${FOLDER}schemas/`, title: `API reference: schemas`, markdown: schemasOf(document.components) },
  ];
}

const table = (heads, rows) =>
  rows.length === 0
    ? ''
    : [heads, heads.map(() => '---'), ...rows]
        .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
        .join('\n');
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
/** Keeps `<` from starting an HTML element, except in code. */
const prose = (text = '') =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('');
const fence = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;
const json = (value) => fence('json', JSON.stringify(value, null, 2));
const joined = (parts) => `${parts.filter(Boolean).join('\n\n')}\n`;
const slug = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

function indexOf(groups, { examples }, common) {
  const sections = groups.map(({ name, description, path, operations: listed }) =>
    joined([
      `## ${name}`,
      `${prose(description)}. [All details](/docs/${path})`,
      table(
        ['route', 'does'],
        listed.map(({ method, path: route, summary }) => [
          `\`${method} ${route}\``,
          `[${prose(summary)}](/docs/${path}#${slug(summary)})`,
        ]),
      ),
    ]),
  );
  return joined([
    '# API reference',
    'Every route of the HTTP API with its parameters, its fields and their limits. It is generated from the schemas ' +
      'with which the service validates requests. Programs find the same in `/openapi.json`. The ' +
      '[HTTP API](/docs/http-api/) page describes what applies to all routes: keys, the envelope, errors, pages and ' +
      'limits. The [schemas](/docs/api/schemas/) are on a separate page.',
    ...sections,
    `## ${COMMON_ERRORS}`,
    table(
      ERROR_HEADS,
      common.map((error) => errorRow(error, examples)),
    ),
  ]);
}

function pageOf({ name, description, operations: listed, messages }, components, common) {
  return joined([
    `# API reference: ${name}`,
    `${prose(description)}. [All groups](/docs/api/), [schemas](/docs/api/schemas/).`,
    ...listed.map((operation) => operationOf(operation, components, common)),
    ...messages.map((message) => messageOf(message)),
  ]);
}

function operationOf(
  { summary, description, method, path, access, parameters = [], ...rest },
  { examples },
  common,
) {
  const { requestBody, responses } = rest;
  const own = errorsOf(responses).filter(({ name }) => !common.some((error) => error.name === name));
  return joined([
    `## ${prose(summary)}`,
    fence('', `${method} ${path}`),
    description === `${summary}.` ? '' : prose(description),
    `Requires ${ACCESS[access]}.`,
    parameters.length > 0 && '### Parameters',
    table(
      ['name', 'in', 'type', 'meaning'],
      parameters.map(({ name, in: place, required, schema, description: meaning }) => [
        `\`${name}\`${required ? ', required' : ''}`,
        place,
        typeText(schema),
        prose(meaning),
      ]),
    ),
    ...(requestBody ? bodyOf(requestBody) : []),
    '### Response',
    ...responseOf(responses[200]),
    own.length > 0 && '### Errors',
    table(
      ERROR_HEADS,
      own.map((error) => errorRow(error, examples)),
    ),
    `It also returns the [${COMMON_ERRORS.toLowerCase()}](/docs/${FOLDER}#${slug(COMMON_ERRORS)}).`,
  ]);
}

function bodyOf({ content }) {
  const media = content['application/json'];
  if (!media) return ['### Body', `A file: ${Object.keys(content).map(inCode).join(', ')}.`];
  return ['### Body', fieldsOf(media.schema), media.example && json(media.example)];
}

const inCode = (text) => `\`${text}\``;

function responseOf({ content }) {
  return Object.entries(content).flatMap(([type, { schema, example, 'x-events': events }]) => {
    if (events) {
      const rows = Object.entries(events).map(([name, data]) => [inCode(name), typeText(data)]);
      return [`${inCode(type)}, with these events:`, table(['event', 'data'], rows)];
    }
    if (type !== 'application/json')
      return [`${inCode(type)}${schema.description ? `: ${prose(schema.description)}` : ''}`];
    const data = schema.allOf[1].properties.data;
    return [
      `${inCode(type)}; \`data\` is ${typeText(data)}.`,
      !data.$ref && fieldsOf(data),
      example && json(example),
    ];
  });
}

const errorsOf = (responses) =>
  Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([status, { content }]) =>
      Object.keys(content['application/json'].examples).map((name) => ({ name, status })),
    );

/** The errors that every operation can return. They are listed once. */
function commonErrors(listed) {
  const all = listed.map(({ responses }) => errorsOf(responses));
  return all[0].filter(({ name }) => all.every((errors) => errors.some((error) => error.name === name)));
}

function errorRow({ name, status }, examples) {
  const { code, message } = examples[name].value;
  return [status, String(code), prose(message)];
}

function messageOf({ summary, description, requestBody }) {
  const { schema } = requestBody.content['application/json'];
  return joined([`## ${prose(summary)}`, prose(description), fieldsOf(schema)]);
}

/** The fields of an object as a table. */
function fieldsOf({ properties = {}, required = [] }) {
  return table(
    ['field', 'type', 'meaning'],
    Object.entries(properties).map(([name, schema]) => [
      `\`${name}\`${required.includes(name) ? '' : ', optional'}`,
      typeText(schema),
      prose(schema.description),
    ]),
  );
}

function schemasOf({ schemas }) {
  const names = Object.keys(schemas).sort();
  return joined([
    `# API reference: schemas`,
    'The objects that the routes accept and return. [All groups](/docs/api/).',
    ...names.map((name) => {
      const { description, examples: [example] = [], ...schema } = schemas[name];
      return joined([
        `## ${name}`,
        description && `${prose(description)}.`,
        schema.properties ? fieldsOf(schema) : typeText(schema),
        example && json(example),
      ]);
    }),
  ]);
}
