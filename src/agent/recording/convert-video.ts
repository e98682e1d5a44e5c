import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Converting an hour of video takes seconds. A worker that runs longer than this is assumed to hang. */
const TIMEOUT_MS = 30 * 60_000;
/** The largest video has 400,000 packets, each with an entry in the tables of its file. */
const MAX_HEAP_MB = 512;

/** The input of the worker thread: the folder of a recording, and its files with packets in order. */
export interface ConversionJob {
  folder: string;
  packets: string[];
}

export interface VideoFile {
  name: string;
  size: number;
  offsetMs: number;
  durationMs: number;
  width: number;
  height: number;
}

export interface Conversion {
  videos: VideoFile[];
  /** Number of parts of the video that are in no file, because their packets are damaged or there are too many files. */
  unreadable: number;
  /** Length of the recording, in milliseconds. */
  durationMs: number;
}

/**
 * Writes the packets of a recording to MP4 files, in a worker thread, because it takes several seconds of CPU time.
 * @throws Error when the files cannot be read or written
 */
export async function convertVideo(job: ConversionJob, signal: AbortSignal): Promise<Conversion> {
  const worker = new Worker(new URL('./mp4-worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  try {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const [conversion] = await once(worker, 'message', { signal: limits });
    return conversion as Conversion;
  } finally {
    await worker.terminate();
  }
}
