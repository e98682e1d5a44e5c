import type { Command } from 'commander';
import { VERSION } from '../server/version.ts';
import type { Log } from '../util/log.ts';
import { addRemote, openService, type RemoteOptions } from './remote.ts';

/** `phonebooth mcp`: provides the phones as MCP tools to the AI agent that starts this command. */
export function addMcpCommand(program: Command): void {
  addRemote(program.command('mcp').description('serve an AI agent over standard input and output (MCP)'))
    .option(
      '--files <folder>',
      'folder in which the agent may save screenshots and read apps to upload (default: the current folder)',
    )
    .addHelpText(
      'after',
      `
An MCP client starts this command itself. Its configuration:

  {"mcpServers": {"phonebooth": {"command": "phonebooth", "args": ["mcp"],
    "env": {"PHONEBOOTH_URL": "https://phones.example.com", "PHONEBOOTH_API_KEY": "pb_…"}}}}

When the agent closes standard input, or on SIGINT or SIGTERM, the sessions that it has started end.`,
    )
    .action(serveAgent);
}

async function serveAgent({ files = '.', ...options }: RemoteOptions & { files?: string }): Promise<void> {
  const service = await openService(options);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());
  // Loaded on demand, so that the other commands start faster.
  const { serveOverStdio } = await import('../mcp/stdio.ts');
  await serveOverStdio(service, {
    version: VERSION,
    log: onStandardError,
    folder: files,
    signal: stopping.signal,
  });
}

/** Standard output carries the protocol, so messages go to standard error. */
const say = (fields: object, message: string): void => {
  const { err } = fields as { err?: unknown };
  process.stderr.write(`phonebooth: ${message}${err instanceof Error ? `: ${err.message}` : ''}\n`);
};
const onStandardError: Log = { debug: () => {}, info: () => {}, warn: say, error: say };
