import { Ajv2020 } from 'ajv/dist/2020.js';
import { type HttpAnswer, sendHttp } from './http.ts';

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: { properties: Record<string, { maximum?: number }> } }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

export interface OpenApiDocument {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

const ENVELOPE = {
  type: 'object',
  required: ['code', 'message', 'data'],
  additionalProperties: false,
  properties: {
    code: { type: 'integer' },
    message: { type: 'string', minLength: 1 },
    data: { type: 'object' },
  },
};

/** Validators of the documents that this process has read. Compiling them takes longer than starting most tests. */
const validators = new Map<string, Ajv2020>();

/** @param text the document, without what differs between deployments of the same version */
function validatorOf(text: string, document: OpenApiDocument): Ajv2020 {
  const known = validators.get(text);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addFormat('uri-reference', (text: string) => URL.canParse(text, 'http://localhost'));
  ajv.addFormat('binary', true);
  ajv.addSchema(document, 'openapi').addSchema(ENVELOPE, 'envelope');
  validators.set(text, ajv);
  return ajv;
}

/** The deployment's own OpenAPI document, against which every response is validated. */
export class Description {
  readonly document: OpenApiDocument;
  private readonly ajv: Ajv2020;

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.ajv = validatorOf(JSON.stringify({ ...document, servers: [] }), document);
  }

  /** Reads `/openapi.json` at the origin of the base URL. */
  static async fetch(baseUrl: string, ca: string | undefined): Promise<Description> {
    const url = `${new URL(baseUrl).origin}/openapi.json`;
    const answer = await sendHttp({ method: 'GET', url, headers: {}, ca });
    if (answer.status !== 200) throw new Error(`GET ${url} answered ${answer.status}`);
    return new Description(JSON.parse(answer.bytes.toString('utf8')) as OpenApiDocument);
  }

  /** The documented fields of an operation's JSON body. */
  bodyOf(template: string, method: string): Record<string, { maximum?: number }> {
    return this.document.paths[template]![method]!.requestBody!.content['application/json']!.schema
      .properties;
  }

  /**
   * Validates a response against the operation of this method and path (relative to the base URL).
   * @throws Error if the status is not documented or the body does not match its schema
   */
  check(method: string, path: string, answer: HttpAnswer): void {
    const pathname = path.split('?', 1)[0]!;
    const what = `${method} ${path} answered ${answer.status}`;
    const type = answer.headers['content-type']?.split(';', 1)[0] ?? '';
    const isJson = type === 'application/json';
    const body: unknown = isJson ? JSON.parse(answer.bytes.toString('utf8')) : undefined;
    if (isJson && !this.ajv.validate('envelope', body))
      throw new Error(`${what} without the envelope: ${JSON.stringify(body)}`);
    const template = Object.keys(this.document.paths).find((candidate) => matches(candidate, pathname));
    const operation = template && this.document.paths[template]![method.toLowerCase()];
    if (!operation) {
      if (![400, 404, 405].includes(answer.status))
        throw new Error(`${what}, but no operation is documented`);
      return;
    }
    const content = operation.responses[String(answer.status)]?.content;
    if (!content) throw new Error(`${what}, which is not documented for ${operation.operationId}`);
    if (!content[type])
      throw new Error(`${what} as ${type || 'nothing'}; documented is ${Object.keys(content)}`);
    if (isJson) this.checkBody([template, method.toLowerCase(), String(answer.status), type], body, what);
  }

  private checkBody([template, method, status, type]: string[], body: unknown, what: string): void {
    const steps = ['paths', template!, method!, 'responses', status!, 'content', type!, 'schema'];
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
    const validate = this.ajv.getSchema(`openapi#/${pointer.join('/')}`);
    if (!validate) throw new Error(`${what}, but the document contains no schema for it`);
    if (validate(body)) return;
    throw new Error(
      `${what}, which does not match its documentation: ${this.ajv.errorsText(validate.errors)}`,
    );
  }
}

/** Whether the path matches the template. `{name}` stands for one segment, which may be empty. */
function matches(template: string, path: string): boolean {
  const literals = template.split(/\{\w+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literals.join('[^/]*')}$`).test(path);
}
