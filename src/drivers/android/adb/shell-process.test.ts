import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ShellProcess } from './shell-process.ts';

/** Runs a process on a phone that sends these bytes, in chunks of `step` bytes. */
async function run(hex: string, step = 4) {
  const socket = new PassThrough();
  const output: string[] = [];
  const process = new ShellProcess(socket as unknown as Socket, {
    onOutput: (data) => output.push(`out ${data}`),
    onError: (data) => output.push(`err ${data}`),
  });
  const bytes = Buffer.from(hex, 'hex');
  for (let at = 0; at < bytes.length; at += step) socket.write(bytes.subarray(at, at + step));
  socket.end();
  return { output, exitCode: await process.exited };
}

test.each([1, 4, 100])('parses output in chunks of %i bytes', async (step) => {
  const { output, exitCode } = await run('010200000068690202000000686f030100000007', step);
  expect(output).toEqual(['out hi', 'err ho']);
  expect(exitCode).toBe(7);
});

test('ends on an oversized packet header without buffering the packet', async () => {
  expect(await run(`0101001000${'41'.repeat(64)}030100000000`)).toEqual({ output: [], exitCode: null });
});
