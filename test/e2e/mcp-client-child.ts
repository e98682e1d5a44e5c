import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

// A program of an agent that borrows a phone over `phonebooth mcp`, prints a message, and runs until it is killed.
const [command, ...args] = process.argv.slice(2);
const env = process.env as Record<string, string>;
const transport = new StdioClientTransport({ command: command!, args, env, stderr: 'inherit' });
const client = new Client({ name: 'to-be-killed', version: '1.0.0' });
await client.connect(transport);
const { content } = await client.callTool({
  name: 'borrow_phone',
  arguments: { minutes: 5, wait_seconds: 60 },
});
process.stdout.write(`${JSON.stringify(content)}\n`);
setInterval(() => {}, 60_000);
