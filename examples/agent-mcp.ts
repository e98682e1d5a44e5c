/**
 * An agent that uses a phone over MCP. It reads the screen, decides what to do, does it and reads the screen again,
 * until its task is done. The decisions come from a list of rules, where another agent would ask a model; everything
 * else is the same.
 *
 *     PHONEBOOTH_URL=http://localhost:7100 PHONEBOOTH_API_KEY=pb_… npx --no-install node examples/agent-mcp.ts
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const { PHONEBOOTH_URL = 'http://localhost:7100', PHONEBOOTH_API_KEY } = process.env;
const NOTE = 'Written by an agent';
/** The agent gives up after this many steps. */
const MOST_STEPS = 15;

interface Step {
  tool: string;
  args: Record<string, unknown>;
}

/**
 * Returns what to do on this screen, or null when the task is done. This is where an agent would ask a model, with
 * the screen and the tool descriptions.
 */
function decide(screen: string): Step | null {
  const idOf = (pattern: RegExp) => pattern.exec(screen)?.[1];
  const field = idOf(/(e\d+) textfield .*focused/);
  const newNote = idOf(/(e\d+) button "New note"/);
  if (screen.includes(NOTE)) return null;
  if (field !== undefined) return { tool: 'type_text', args: { element: field, text: NOTE } };
  if (newNote !== undefined) return { tool: 'tap', args: { element: newNote } };
  return { tool: 'launch_app', args: { app: 'Notes' } };
}

if (!PHONEBOOTH_API_KEY) throw new Error('set PHONEBOOTH_API_KEY: phonebooth keys create prints one');
const client = new Client({ name: 'example-agent', version: '1.0.0' });
const transport = new StreamableHTTPClientTransport(new URL('/mcp', PHONEBOOTH_URL), {
  requestInit: { headers: { Authorization: `Bearer ${PHONEBOOTH_API_KEY}` } },
});

/** Returns the text result of a tool. @throws Error with the tool's message when the tool fails */
async function use(tool: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content, isError } = await client.callTool({ name: tool, arguments: args });
  const text = content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
  if (isError) throw new Error(`${tool}: ${text}`);
  return text;
}

await client.connect(transport);
try {
  console.log(await use('borrow_phone', { minutes: 5, wait_seconds: 30 }));
  let next: Step | null = null;
  for (let step = 1; step <= MOST_STEPS; step += 1) {
    next = decide(await use('read_screen'));
    if (next === null) break;
    console.log(`${step}. ${await use(next.tool, next.args)}`);
    await use('wait_for', { still_ms: 300 });
  }
  if (next !== null) throw new Error(`it was not done in ${MOST_STEPS} steps`);
  console.log(await use('look'));
  console.log(await use('give_back'));
} finally {
  // Ends the MCP session, and with it any session on a phone that is still running.
  await transport.terminateSession();
  await client.close();
}
