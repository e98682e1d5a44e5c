import { FilePathTarget } from 'mediabunny';
import type { StreamPacket } from '../../contract/sockets/stream-packets.ts';
import { deferred } from '../deferred.ts';
import type { StreamLinkHandlers } from '../stream-link.ts';
import type { RecordingStorage } from './recording-storage.ts';
import { type RecordingEnd, SessionRecorder } from './session-recorder.ts';

export interface RecordingResult<T> {
  /**
   * stopped: the caller stopped it, or the session ended. full, too-slow: a limit was reached, and the files contain
   * the recording up to then.
   */
  why: 'stopped' | 'full' | 'too-slow';
  /** The files in order: file names, or whatever the storage returns. */
  files: readonly T[];
}

export interface Recording<T> extends AsyncDisposable {
  /** Resolves when all files are written. Rejects when they could not be written, or when no frame arrived. */
  readonly finished: Promise<RecordingResult<T>>;
  stop(): Promise<RecordingResult<T>>;
}

export interface RecordStreamOptions<T> {
  storage: RecordingStorage<T>;
  open(handlers: StreamLinkHandlers): { requestKeyframe(): void; close(): void };
  /** Stops the recording when it is aborted. */
  signal: AbortSignal;
}

/**
 * Records a session's stream over a separate connection. A new connection first receives the cached GOP,
 * which may be minutes old. The recording therefore begins with the next keyframe, which it requests.
 * Resolves when that keyframe has been recorded.
 * @throws Error when none arrives in time
 */
export async function recordStream<T>({
  storage,
  open,
  signal,
}: RecordStreamOptions<T>): Promise<Recording<T>> {
  const outcome = deferred<RecordingResult<T>>();
  // A caller that does not await `finished` gets the error from `stop`.
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
    outcome.reject(
      new Error('nothing was recorded: the phone sent no video; try again while its screen is shown'),
    );
  else outcome.resolve({ why: end.why, files });
}

/** Storage with file names, for Node, Bun and Deno: `phone.mp4`, then `phone-2.mp4` and so on. */
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
