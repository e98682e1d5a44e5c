import { FilePathTarget } from 'mediabunny';
import type { StreamPacket } from '../../contract/stream-packets.ts';
import { deferred } from '../deferred.ts';
import type { StreamLinkHandlers } from '../stream-link.ts';
import type { RecordingStorage } from './recording-storage.ts';
import { type RecordingEnd, SessionRecorder } from './session-recorder.ts';

export interface RecordingResult<T> {
  /** stopped: by whoever made it, or with the session. full, too-slow: at a bound, with what there is. */
  why: 'stopped' | 'full' | 'too-slow';
  /** What was written, in its order: names of files, or what the storage makes. */
  files: readonly T[];
}

export interface Recording<T> extends AsyncDisposable {
  /** Resolved when all of it is written; rejected when it could not be, or no picture came. */
  readonly finished: Promise<RecordingResult<T>>;
  stop(): Promise<RecordingResult<T>>;
}

export interface RecordStreamOptions<T> {
  storage: RecordingStorage<T>;
  open(handlers: StreamLinkHandlers): { requestKeyframe(): void; close(): void };
  /** Stops it. */
  signal: AbortSignal;
}

/**
 * Records a session's stream over a connection of its own. What that begins with is how the screen came to be, which may
 * be minutes old: the recording begins with the first keyframe behind it, which is asked for. Answers when that is in.
 * @throws Error when none comes in time
 */
export async function recordStream<T>({
  storage,
  open,
  signal,
}: RecordStreamOptions<T>): Promise<Recording<T>> {
  const outcome = deferred<RecordingResult<T>>();
  // Who does not wait for it hears of it from `stop`.
  outcome.promise.catch(() => {});
  const begun = deferred<void>();
  const seen: StreamPacket[] = [];
  let recorder: SessionRecorder<T> | null = null;
  const begin = () => {
    recorder = new SessionRecorder<T>({
      storage,
      requestKeyframe: () => link.requestKeyframe(),
      onBegin: () => begun.resolve(),
      onEnd: (end, files) => {
        link.close();
        settle(outcome, end, files);
      },
    });
    for (const packet of seen.splice(0)) recorder.onPacket(packet);
  };
  const take = (packet: StreamPacket) => {
    if (recorder) recorder.onPacket(packet);
    else if (packet.type === 'session' || packet.type === 'config') seen.push(packet);
    else begin();
  };
  const stop = () => {
    if (recorder) recorder.stop();
    else {
      link.close();
      settle(outcome, { why: 'stopped' }, []);
    }
    return outcome.promise;
  };
  const link = open({
    onPacket: take,
    onGap: () => recorder?.onGap(),
    onEnd: () => void stop().catch(() => {}),
  });
  signal.addEventListener('abort', () => void stop().catch(() => {}), { once: true });
  if (signal.aborted) await stop();
  await Promise.race([begun.promise, outcome.promise]);
  return {
    finished: outcome.promise,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}

function settle<T>(
  outcome: { resolve(result: RecordingResult<T>): void; reject(error: unknown): void },
  end: RecordingEnd,
  files: readonly T[],
): void {
  if (end.why === 'failed') outcome.reject(end.error);
  else if (end.why === 'no-keyframe')
    outcome.reject(new Error('nothing was recorded: no picture came from the phone'));
  else outcome.resolve({ why: end.why, files });
}

/** Files by name, as Node, Bun and Deno have them: `phone.mp4`, then `phone-2.mp4` and so on. */
export function filesNamed(first: string): RecordingStorage<string> {
  let count = 0;
  return {
    maxBytes: Number.POSITIVE_INFINITY,
    create: async () => {
      count += 1;
      const name = count === 1 ? first : first.replace(/(\.[^./\\]*)?$/, `-${count}$1`);
      return { target: new FilePathTarget(name), take: async () => name };
    },
  };
}
