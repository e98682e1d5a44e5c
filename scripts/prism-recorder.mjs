// Lets Prism validate all responses of a test run. A client that talks to the recorder gets the service's own responses,
// also to requests that are invalid on purpose, which Prism would answer itself. The recorder then sends each request once
// more to Prism, whose upstream replays the recorded response, and collects what Prism finds in it.
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';

/** Larger bodies are not validated: apps and their icons are not JSON. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_WAITING = 20_000;
const VALIDATION_DEADLINE_MS = 60_000;
const ID_HEADER = 'x-recording';
/** Headers that concern one connection, or that would no longer be true for the repeated message. */
const OF_CONNECTION = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding', 'date'];

const without = (headers, names) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

async function bodyOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Prism closes the connection of a request whose path it cannot decode. */
function isDecodable(path) {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function isMalformed(headers, body) {
  if (body.length === 0 || !/json/i.test(headers['content-type'] ?? '')) return false;
  try {
    JSON.parse(body.toString('utf8'));
    return false;
  } catch {
    return true;
  }
}

async function listening(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

export class PrismRecorder {
  #service;
  #prism = '';
  #waiting = [];
  #replayed = new Map();
  #servers = [];
  #dropped = 0;

  /** @param service origin of the service */
  constructor(service) {
    this.#service = new URL(service);
  }

  /** Starts both servers: `origin` is for the client, `upstream` for Prism. */
  async start() {
    const recorder = createServer((request, response) => void this.#record(request, response));
    const replayer = createServer((request, response) => {
      const { status, headers, body } = this.#replayed.get(request.headers[ID_HEADER]) ?? { status: 404 };
      request.resume();
      response.writeHead(status, headers).end(body);
    });
    this.#servers = [recorder, replayer];
    return { origin: await listening(recorder), upstream: await listening(replayer) };
  }

  close() {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  async #record(request, response) {
    const body = await bodyOf(request).catch(() => null);
    if (body === null) return response.destroy();
    const { hostname, port } = this.#service;
    const headers = without(request.headers, [
      'accept-encoding',
      'transfer-encoding',
      'content-length',
      'connection',
    ]);
    if (body.length > 0 || request.headers['content-length']) headers['content-length'] = String(body.length);
    const { method, url: path } = request;
    const forwarded = send({ hostname, port, method, path, headers, agent: false });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode, answer.rawHeaders);
      const isStream = /event-stream|jsonl/.test(answer.headers['content-type'] ?? '');
      const isKept = !isStream && path.startsWith('/v1/') && body.length <= MAX_BODY_BYTES;
      const chunks = [];
      let bytes = 0;
      answer.on('data', (chunk) => {
        bytes += chunk.length;
        if (isKept && bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      });
      answer.pipe(response);
      answer.on('end', () => {
        if (isKept && bytes <= MAX_BODY_BYTES) this.#keep({ method, path, request, body, answer, chunks });
      });
    });
    forwarded.end(body);
  }

  #keep({ method, path, request, body, answer, chunks }) {
    const received = Buffer.concat(chunks);
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push({
      asked: { method, path, headers: without(request.headers, OF_CONNECTION), body },
      answered: {
        status: answer.statusCode,
        headers: without(answer.headers, OF_CONNECTION),
        body: received,
      },
    });
  }

  /** Validates what was recorded. Returns the number of responses, and Prism's complaints about them. */
  async validate(prism) {
    this.#prism = prism;
    const result = { validated: 0, unknown: 0, dropped: this.#dropped, violations: [] };
    for (const [index, { asked, answered }] of this.#waiting.entries()) {
      const id = String(index);
      this.#replayed.set(id, answered);
      const violations = isDecodable(asked.path)
        ? await this.#violationsOf(asked, id).finally(() => this.#replayed.delete(id))
        : null;
      if (violations === null) result.unknown += 1;
      else result.validated += 1;
      for (const { location = [], message } of violations ?? [])
        if (location[0] === 'response')
          result.violations.push(
            `${asked.method} ${asked.path} ${answered.status} ${location.join('.')}: ${message}`,
          );
    }
    return result;
  }

  /** Null: Prism knows no operation with this path and method, so it did not ask its upstream. */
  async #violationsOf({ method, path, headers, body }, id) {
    const { hostname, port } = new URL(this.#prism);
    const signal = AbortSignal.timeout(VALIDATION_DEADLINE_MS);
    // Prism never answers a request whose JSON it cannot parse. Its findings about the response are the same without it.
    const sent = isMalformed(headers, body) ? Buffer.from('{}') : body;
    const asked = send({
      ...{ hostname, port, method, path: path.replace('/v1', ''), agent: false, signal },
      headers: { ...headers, [ID_HEADER]: id, 'content-length': String(sent.length) },
    });
    asked.end(sent);
    const failed = (error) => {
      throw new Error(`Prism did not answer ${method} ${path}: ${error.message}`, { cause: error });
    };
    const [answer] = await once(asked, 'response').catch(failed);
    const text = (await bodyOf(answer).catch(failed)).toString('utf8');
    const found = answer.headers['sl-violations'];
    if (found !== undefined) return JSON.parse(found);
    return text.includes('stoplight.io/prism/errors') ? null : [];
  }
}
