/**
 * Child processes of a bench. The measured program, its load generator and its peer each run in a separate process,
 * and the bench calls them over Node's IPC channel. They exit when that channel closes, however the bench ends.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const STOP_DEADLINE_MS = 10_000;

/** Functions that the bench can call in a child process, by name. Arguments and return values are JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the caller declares the types of the arguments and of the result
export type Handlers = Record<string, (argument: any) => unknown>;

/** CPU time that a process has used since its start, in microseconds, and its memory, in bytes. */
export interface Spent {
  cpuMicros: number;
  rss: number;
  heapUsed: number;
}

export interface Child extends AsyncDisposable {
  /** @throws Error with the child's message if the call fails, and Error if the deadline passes or the child exits. */
  call<T>(name: string, argument?: unknown, deadlineMs?: number): Promise<T>;
  spent(): Promise<Spent>;
  /** Collects garbage if the child was started with --expose-gc. */
  collect(): Promise<void>;
}

interface Question {
  id: number;
  name: string;
  argument: unknown;
}

type Answer = { id: number; value: unknown } | { id: number; error: string };

/** Starts a program whose module calls answerParent(). */
export async function startChild(module: URL, execArgv: string[] = []): Promise<Child> {
  const child = fork(fileURLToPath(module), { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  child.on('message', (answer: Answer) => {
    const question = waiting.get(answer.id);
    if ('error' in answer) question?.reject(new Error(answer.error));
    else question?.resolve(answer.value);
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${module} exited with ${code ?? signal}`));
  });
  const call = async <T>(name: string, argument?: unknown, deadlineMs = 60_000): Promise<T> => {
    if (!child.connected) throw new Error(`${module} has exited`);
    lastId += 1;
    const id = lastId;
    const question = Promise.withResolvers<unknown>();
    waiting.set(id, question);
    const late = new Error(`${module} did not answer ${name} within ${deadlineMs} ms`);
    const timer = setTimeout(() => question.reject(late), deadlineMs);
    child.send({ id, name, argument } satisfies Question);
    try {
      return (await question.promise) as T;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  };
  return {
    call,
    spent: () => call('spent'),
    collect: () => call('collect'),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** Runs in the child: answers the bench's calls, and exits when the IPC channel closes. */
export function answerParent(ownHandlers: Handlers): void {
  const handlers: Handlers = { ...ownHandlers, spent, collect };
  process.on('message', async ({ id, name, argument }: Question) => {
    let answer: Answer;
    try {
      const handler = handlers[name];
      if (!handler) throw new Error(`unknown function: ${name}`);
      answer = { id, value: (await handler(argument)) ?? null };
    } catch (error) {
      answer = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    process.send?.(answer);
  });
  process.once('disconnect', () => process.exit());
}

function collect(): void {
  if (!globalThis.gc) throw new Error('this process was not started with --expose-gc');
  globalThis.gc();
}

function spent(): Spent {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return { cpuMicros: user + system, rss, heapUsed };
}

/** Closes the channel, which makes the child exit, and kills the child if it does not exit in time. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  if (child.connected) child.disconnect();
  await gone;
  clearTimeout(timer);
}
