import { ResourceTable } from '../../../src/control-plane/apps/apk/resource-table.ts';
import { resourcesArsc } from '../../fixtures/android-binary.ts';
import { ICON_ID, LABEL_ID, LAYER_ID } from '../../fixtures/apk.ts';
import { type Target, unlessRefused } from '../engine/target.ts';

/** Parses a resources.arsc file. */
export const target: Target = {
  seeds: () => [
    resourcesArsc({ labels: { '': 'Sample', en: 'In English' }, icons: [], layers: [] }),
    resourcesArsc({
      labels: {},
      icons: [
        { density: 160, file: 'res/a.png' },
        { density: 0xfffe, file: 'res/b.xml' },
      ],
      layers: [{ density: 480, file: 'res/c.png' }],
    }),
  ],
  run: (input) => {
    const table = unlessRefused([RangeError], () => new ResourceTable(input));
    if (!table) return;
    for (const id of [LABEL_ID, ICON_ID, LAYER_ID]) {
      unlessRefused([RangeError], () => table.text(id));
      unlessRefused([RangeError], () => [...table.files(id)]);
    }
  },
};
