import { parentPort, workerData } from 'node:worker_threads';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { ScaleJob } from './scale-image.ts';

const { png, area, width, height } = workerData as ScaleJob;
const image = await loadImage(png);
const canvas = createCanvas(width, height);
const context = canvas.getContext('2d');
context.imageSmoothingEnabled = true;
context.imageSmoothingQuality = 'high';
context.drawImage(image, area.x, area.y, area.width, area.height, 0, 0, width, height);
parentPort!.postMessage(await canvas.encode('png'));
