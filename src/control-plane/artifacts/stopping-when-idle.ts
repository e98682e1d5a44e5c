import { Readable } from 'node:stream';
import { withDeadline } from '../../util/deadline.ts';

/**
 * Returns the content of a source that must continue within `idleMs` whenever more is requested. A slow reader can take
 * any time.
 * @param close ends the source. Called when the stream is destroyed before its end.
 * @param failure returns the error of the stream for an error of the source
 */
export function stoppingWhenIdle(
  source: Readable,
  { idleMs, close, failure }: { idleMs: number; close: () => void; failure: (reason: unknown) => Error },
): Readable {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  // The iterator listens only when it has been asked for the first chunk.
  source.on('error', () => {});
  const stream: Readable = new Readable({
    read: () => {
      withDeadline(chunks.next(), idleMs, 'no content arrived').then(
        ({ done, value }) => stream.push(done ? null : value),
        (reason: unknown) => stream.destroy(failure(reason)),
      );
    },
    destroy: (error, callback) => {
      if (!source.readableEnded) close();
      callback(error);
    },
  });
  return stream;
}
