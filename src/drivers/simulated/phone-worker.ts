import { parentPort, workerData } from 'node:worker_threads';
import { PhoneLife, type Post } from './phone-life.ts';
import { registerFonts } from './ui/fonts.ts';
import type { ToPhone, WorkerData } from './worker-messages.ts';

const { model } = workerData as WorkerData;
const post: Post = (message, transfer = []) => parentPort?.postMessage(message, transfer);

registerFonts();
let life = new PhoneLife(model, post);
parentPort?.on('message', (message: ToPhone) => {
  if (message.type !== 'reset') return life.handle(message);
  life.close();
  life = new PhoneLife(model, post);
  post({ type: 'ready' });
});
post({ type: 'ready' });
