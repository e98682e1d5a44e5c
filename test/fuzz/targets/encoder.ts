import { H264Encoder } from '../../../src/drivers/simulated/h264/encoder.ts';
import type { Target } from '../engine/target.ts';
import { FuzzedScreen } from '../kit/encoder-screens.ts';
import { type DecodedFrame, H264Decoder } from '../kit/h264-decoder.ts';

const MAX_FRAMES = 24;
const decoder = await H264Decoder.load();

/**
 * Encodes the screen of a simulated phone. Whatever is drawn, an independent decoder must output exactly the samples
 * from which the encoder predicts the next frame.
 */
export const target: Target = {
  maxBytes: 600,
  seeds: () => [
    Buffer.of(20, 30, 24, 0, 0, 0, 0, 255, 255, 9, 1, 1, 130, 0, 2, 5, 5, 40, 40, 7, 1, 1, 111),
    Buffer.of(7, 8, 51, 0, 2, 0, 0, 255, 255, 3, 1, 3, 0, 0, 255, 255, 0, 0, 6, 1, 4, 3, 3, 30, 30, 9),
    Buffer.of(39, 59, 0, 1, 4, 0, 0, 255, 255, 0, 0, 5, 8, 8, 4, 4, ...Array(16).keys()),
  ],
  run: (input) => {
    const screen = new FuzzedScreen(input);
    const { width, height } = screen;
    const encoder = new H264Encoder({ width, height, qp: screen.byte() % 52 });
    decoder.reset();
    for (let frames = 0; frames < MAX_FRAMES && !screen.isOver; frames += 1) {
      const keyframe = screen.byte() % 8 === 1;
      screen.change();
      const frame = encoder.encode(screen.rgba, { keyframe });
      if (!frame) continue;
      checkUnit(frame.data);
      const unit = frame.keyframe ? Buffer.concat([encoder.config, frame.data]) : frame.data;
      compare(decoder.decode(unit), encoder.reconstruction(), { width, height });
    }
  },
};

/**
 * Checks that the data is one NAL unit after its start code, without another start code inside it (ITU-T H.264,
 * 7.4.1).
 */
function checkUnit(data: Uint8Array): void {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.readUInt32BE(0) !== 1) throw new Error('the unit does not begin with a start code');
  if (bytes.at(-1) === 0) throw new Error('the unit ends with a zero byte');
  for (const forbidden of ['000000', '000001', '000002']) {
    if (bytes.indexOf(forbidden, 4, 'hex') >= 0) throw new Error(`the unit contains ${forbidden}`);
  }
}

function compare(shown: DecodedFrame, expected: Uint8Array, size: { width: number; height: number }): void {
  let at = 0;
  let plane = 0;
  for (const scale of [1, 2, 2]) {
    const stride = shown.width / scale;
    for (let y = 0; y < size.height / scale; y++, at += size.width / scale) {
      const row = shown.samples.subarray(plane + y * stride, plane + y * stride + size.width / scale);
      if (Buffer.compare(row, expected.subarray(at, at + row.length)) !== 0)
        throw new Error(`row ${y} of the plane at ${plane} differs from the encoder's`);
    }
    plane += stride * (shown.height / scale);
  }
}
