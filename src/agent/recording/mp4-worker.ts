import { parentPort, workerData } from 'node:worker_threads';
import type { ConversionJob } from './convert-video.ts';
import { writeVideos } from './write-videos.ts';

parentPort!.postMessage(await writeVideos(workerData as ConversionJob));
