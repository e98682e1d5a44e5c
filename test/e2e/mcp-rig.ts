import { fileURLToPath } from 'node:url';
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'vitest';
import type { Service } from '../fixtures/service.ts';

export const COMMAND = fileURLToPath(new URL('../../bin/phonebooth.mjs', import.meta.url));

export interface Said {
  text: string;
  isError: boolean;
  images: Buffer[];
}

/** An agent that is connected with the official MCP client. */
export interface Agent extends AsyncDisposable {
  client: Client;
  /** Calls a tool and returns its response, success or error. */
  ask(tool: string, args?: Record<string, unknown>): Promise<Said>;
  /** Calls a tool and returns the text of its result. Fails the test if the tool returned an error. */
  use(tool: string, args?: Record<string, unknown>): Promise<string>;
  /** Borrows a phone and returns its session id. */
  borrow(args?: Record<string, unknown>): Promise<string>;
}

function agentOn(client: Client, close: () => Promise<void>): Agent {
  const ask: Agent['ask'] = async (tool, args = {}) => {
    const answer = await client.callTool({ name: tool, arguments: args }, { timeout: 120_000 });
    const texts = answer.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const images = answer.content.flatMap((part) =>
      part.type === 'image' ? [Buffer.from(part.data, 'base64')] : [],
    );
    return { text: texts.join('\n'), isError: answer.isError ?? false, images };
  };
  const use: Agent['use'] = async (tool, args) => {
    const { text, isError } = await ask(tool, args);
    expect({ text, isError }).toEqual({ text, isError: false });
    return text;
  };
  const borrow: Agent['borrow'] = async (args) =>
    sessionIn(await use('borrow_phone', { minutes: 5, wait_seconds: 90, ...args }));
  return { client, ask, use, borrow, [Symbol.asyncDispose]: close };
}

export const sessionIn = (text: string) => /ses_[\w-]+/.exec(text)![0];

const newClient = (mode: VersionNegotiationMode) =>
  new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });

export async function agentOverHttp(
  { httpOrigin, key }: Pick<Service, 'httpOrigin' | 'key'>,
  mode: VersionNegotiationMode = 'legacy',
): Promise<Agent> {
  const client = newClient(mode);
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', httpOrigin), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return agentOn(client, async () => {
    await transport.terminateSession();
    await client.close();
  });
}

export function stdioTransport(
  service: Pick<Service, 'httpOrigin' | 'env'>,
  key?: string,
  options: string[] = [],
): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, 'mcp', ...options],
    env: mcpEnv(service, key),
    stderr: 'inherit',
  });
}

export const mcpEnv = ({ env, httpOrigin }: Pick<Service, 'httpOrigin' | 'env'>, key?: string) => ({
  ...env,
  PHONEBOOTH_URL: httpOrigin,
  ...(key !== undefined && { PHONEBOOTH_API_KEY: key }),
});

export async function agentOverStdio(transport: StdioClientTransport): Promise<Agent> {
  const client = newClient('legacy');
  await client.connect(transport);
  return agentOn(client, () => client.close());
}
