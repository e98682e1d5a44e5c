import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { ControlError } from '../client/control-socket.ts';
import { SessionEndedError } from '../client/session-ended-error.ts';
import { RPC_ERRORS } from '../contract/rpc-errors.ts';
import type { BorrowedPhones } from './borrowed-phones.ts';
import { inputSchema } from './input-schema.ts';
import { inWords } from './words.ts';

/** What a tool works with during one call. */
export interface ToolCall {
  phones: BorrowedPhones;
  /** Aborted when the caller does not wait for the answer any more. */
  signal: AbortSignal;
  /** Reports progress, if the client asked for it. */
  tell(message: string): void;
}

type Content = CallToolResult['content'];

/** A text, or what the protocol calls content. */
export type Answer = string | Content;

export interface Tool {
  name: string;
  input: TObject;
  register(server: McpServer, phones: BorrowedPhones, report: (error: unknown, tool: string) => void): void;
}

/** Longest time that a call may take, unless its tool has a deadline of its own. */
const DEADLINE_MS = 60_000;
/** What a tool has beyond the longest wait of its own, so that this wait's error is what the model reads. */
export const SPARE_MS = 20_000;
/** No answer came, or the phone is not under this client's control. */
const CONNECTION_CODES: readonly number[] = [0, RPC_ERRORS.notConnected];

/** What a tool does to the world, for clients that ask a person first. */
export const LOOKS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
export const ACTS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
export const LENDS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
export const ENDS: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

export const fields = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

/** The argument of every tool that does something with a phone. */
export const whichPhone = {
  phone: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Session id or name of the phone. Required only while you have more than one.',
    }),
  ),
};

/** Declares a tool; its arguments are checked before it runs. */
export function tool<T extends TObject>(definition: {
  name: string;
  title: string;
  description: string;
  input: T;
  effect: ToolAnnotations;
  deadlineMs?: (args: Static<T>) => number;
  run: (args: Static<T>, call: ToolCall) => Promise<Answer>;
}): Tool {
  const { name, title, description, effect: annotations, run, deadlineMs = () => DEADLINE_MS } = definition;
  const schema = inputSchema(definition.input);
  return {
    name,
    input: definition.input,
    register: (server, phones, report) => {
      server.registerTool(
        name,
        { title, description, inputSchema: schema, annotations },
        async (args: Static<T>, context: ServerContext): Promise<CallToolResult> => {
          const tell = teller(context);
          try {
            const answer = await phones.during((signal) => run(args, { phones, signal, tell }), {
              signal: context.mcpReq.signal,
              deadlineMs: deadlineMs(args),
            });
            return { content: withNotices(phones, contentOf(answer)) };
          } catch (error) {
            const content = await refusal(error, phones, (cause) => report(cause, name));
            return { content, isError: true };
          }
        },
      );
    },
  };
}

async function refusal(
  error: unknown,
  phones: BorrowedPhones,
  report: (error: unknown) => void,
): Promise<Content> {
  const isOfConnection = error instanceof ControlError && CONNECTION_CODES.includes(error.code);
  if (isOfConnection) await phones.lookForEnds();
  const words = inWords(error);
  if (words === null) report(error);
  const content = contentOf(words ?? 'The service failed. Try once more; if it fails again, tell the user.');
  const all = withNotices(phones, content);
  // Where a phone has ended the notice says it all.
  const isOfEnd = isOfConnection || error instanceof SessionEndedError;
  return isOfEnd && all.length > 1 ? all.slice(0, 1) : all;
}

const contentOf = (answer: Answer): Content =>
  typeof answer === 'string' ? [{ type: 'text', text: answer }] : answer;

/** What happened meanwhile comes first: it may explain the rest. */
function withNotices(phones: BorrowedPhones, content: Content): Content {
  const notices = phones.takeNotices();
  return notices.length === 0 ? content : [{ type: 'text', text: notices.join('\n') }, ...content];
}

function teller({ mcpReq }: ServerContext): ToolCall['tell'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // The client is gone; its call is about to be cancelled.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
