import { drawablesIn } from '../../../src/control-plane/apps/apk/drawable.ts';
import { identifyImage } from '../../../src/control-plane/apps/apk/image.ts';
import { compiledXml } from '../../fixtures/android-binary.ts';
import { LAYER_ID, makePng } from '../../fixtures/apk.ts';
import { type Target, unlessRefused } from '../engine/target.ts';

const layer = { attributes: { drawable: { reference: LAYER_ID } } };

/** Parses a drawable: a compiled XML file or an image. */
export const target: Target = {
  seeds: () => [
    compiledXml({
      name: 'adaptive-icon',
      children: [{ name: 'background' }, { name: 'foreground', ...layer }],
    }),
    compiledXml({ name: 'bitmap', attributes: { src: { reference: LAYER_ID } } }),
    makePng(2, '#ffffff'),
    ...['VP8X', 'VP8 ', 'VP8L'].map((kind) =>
      Buffer.from(`RIFF\0\0\0\0WEBP${kind}${'\x01\0'.repeat(20)}`, 'latin1'),
    ),
  ],
  run: (input) => {
    identifyImage(input);
    const found = unlessRefused([RangeError], () => drawablesIn(input));
    // Each reference takes 20 bytes of the input.
    if (found && found.length * 20 > input.length) throw new Error(`too many references: ${found.length}`);
  },
};
