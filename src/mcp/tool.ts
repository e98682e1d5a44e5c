import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { ControlError } from '../client/control-socket.ts';
import { SessionEndedError } from '../client/session-ended-error.ts';
import { RPC_ERRORS } from '../contract/sockets/rpc-errors.ts';
import type { BorrowedPhones } from './borrowed-phones.ts';
import { errorMessage } from './error-messages.ts';
import { inputSchema } from './input-schema.ts';
import { markCall } from './marks.ts';

/** The context of one tool call. */
export interface ToolCall {
  phones: BorrowedPhones;
  /** Aborted when the caller no longer waits for the answer. */
  signal: AbortSignal;
  /** Sends a progress notification if the client asked for progress. */
  reportProgress(message: string): void;
}

export type Content = CallToolResult['content'];

/** A text, or content blocks of the MCP protocol. */
export type Answer = string | Content;

export interface Tool {
  name: string;
  input: TObject;
  effect: ToolAnnotations;
  register(server: McpServer, phones: BorrowedPhones, report: (error: unknown, tool: string) => void): void;
}

/** Default deadline of a call, for tools that do not set `deadlineMs`. */
const DEADLINE_MS = 60_000;
/**
 * Added to a tool's own longest wait to form its deadline, so that the wait times out first and the model receives
 * its more specific error.
 */
export const SPARE_MS = 20_000;
/** The command was not answered, or another client has control of the phone. */
const CONNECTION_CODES: readonly number[] = [0, RPC_ERRORS.notConnected];

/** Effects of a tool. MCP clients use them to decide whether to ask a person for confirmation. */
export const LOOKS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
export const ACTS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
export const BORROWS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
export const ENDS: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

export const fields = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

/** The argument that selects a phone. Every tool that acts on a phone has it. */
export const whichPhone = {
  phone: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Session id or name of the phone. Required only if you have more than one.',
    }),
  ),
};

/** Declares a tool. Its arguments are validated before it runs. */
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
    effect: annotations,
    register: (server, phones, report) => {
      server.registerTool(
        name,
        { title, description, inputSchema: schema, annotations },
        async (args: Static<T>, context: ServerContext): Promise<CallToolResult> => {
          const reportProgress = progressReporter(context);
          if ('phone' in definition.input.properties) markCall(phones, name, args);
          try {
            const answer = await phones.during((signal) => run(args, { phones, signal, reportProgress }), {
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
  if (isOfConnection) await phones.refreshSessions();
  const words = errorMessage(error);
  if (words === null) report(error);
  const content = contentOf(words ?? 'The service failed. Try once more; if it fails again, tell the user.');
  const all = withNotices(phones, content);
  // If a phone's session has ended, the notice already contains the whole explanation.
  const isOfEnd = isOfConnection || error instanceof SessionEndedError;
  return isOfEnd && all.length > 1 ? all.slice(0, 1) : all;
}

const contentOf = (answer: Answer): Content =>
  typeof answer === 'string' ? [{ type: 'text', text: answer }] : answer;

/** Puts notices first, because they may explain the rest of the answer. */
function withNotices(phones: BorrowedPhones, content: Content): Content {
  const notices = phones.takeNotices();
  return notices.length === 0 ? content : [{ type: 'text', text: notices.join('\n') }, ...content];
}

function progressReporter({ mcpReq }: ServerContext): ToolCall['reportProgress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // The client has disconnected, and its call is about to be cancelled.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
