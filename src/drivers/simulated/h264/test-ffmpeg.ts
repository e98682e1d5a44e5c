import { spawnSync } from 'node:child_process';

const MAX_OUTPUT_BYTES = 1 << 30;

/**
 * Decodes an Annex B stream to planar I420, strictly. Throws on any warning or error, and if ffmpeg is not installed.
 */
export function decodeWithFfmpeg(stream: Uint8Array): Uint8Array {
  const output = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', 'pipe:1'];
  const { error, stdout, stderr, status } = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-err_detect', 'explode', '-f', 'h264', '-i', 'pipe:0', ...output],
    { input: stream, maxBuffer: MAX_OUTPUT_BYTES },
  );
  if (error) throw new Error(`ffmpeg could not be run, and this test needs it on the PATH: ${error.message}`);
  if (status !== 0 || stderr.length > 0) throw new Error(`ffmpeg exited with ${status}: ${stderr}`);
  return stdout;
}
