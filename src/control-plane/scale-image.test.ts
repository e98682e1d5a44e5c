import { createCanvas, loadImage } from '@napi-rs/canvas';
import { expect, test } from 'vitest';
import { cropImage, scaleImage } from './scale-image.ts';

function imageOf(width: number, height: number): Uint8Array {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ff0000';
  context.fillRect(0, 0, width, height / 2);
  return canvas.toBuffer('image/png');
}

const sizeOf = async (png: Uint8Array) => {
  const { width, height } = await loadImage(png);
  return { width, height };
};

test('scales the longer side to the requested size and keeps the aspect ratio', async () => {
  expect(await sizeOf(await scaleImage(imageOf(540, 1170), 1000))).toEqual({ width: 462, height: 1000 });
  expect(await sizeOf(await scaleImage(imageOf(1170, 540), 100))).toEqual({ width: 100, height: 46 });
});

test('returns an image that is small enough unchanged', async () => {
  const png = imageOf(50, 100);
  expect(await scaleImage(png, 100)).toBe(png);
});

test('preserves the orientation', async () => {
  const image = await loadImage(await scaleImage(imageOf(400, 800), 100));
  const context = createCanvas(50, 100).getContext('2d');
  context.drawImage(image, 0, 0);
  expect([...context.getImageData(25, 20, 1, 1).data]).toEqual([255, 0, 0, 255]);
  expect([...context.getImageData(25, 80, 1, 1).data]).toEqual([0, 0, 0, 0]);
});

test('scales concurrent images', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => scaleImage(imageOf(200, 400), 40)));
  for (const png of all) expect(await sizeOf(png)).toEqual({ width: 20, height: 40 });
});

test('rejects invalid image data and scales the next image', async () => {
  await expect(scaleImage(new Uint8Array([1, 2, 3]), 40)).rejects.toThrow();
  expect(await sizeOf(await scaleImage(imageOf(200, 400), 40))).toEqual({ width: 20, height: 40 });
});

test('rejects an image that would take gigabytes once decoded', async () => {
  const png = Buffer.from(imageOf(50, 100));
  png.writeUInt32BE(65_536, 16);
  png.writeUInt32BE(65_536, 20);
  const refusal = { code: 50300, message: expect.stringContaining('its host sent an invalid image') };
  await expect(scaleImage(png, 40)).rejects.toMatchObject(refusal);
  await expect(cropImage(png, { x: 0, y: 0, width: 1, height: 1 })).rejects.toMatchObject(refusal);
});
