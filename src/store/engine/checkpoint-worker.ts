import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { CheckpointResult } from './checkpoint-thread.ts';

const db = new Database(workerData as string, { fileMustExist: true });
const checkpoint = db.prepare('pragma wal_checkpoint(passive)');

parentPort!.on('message', () => {
  parentPort!.postMessage(run());
});

function run(): CheckpointResult {
  try {
    checkpoint.all();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
