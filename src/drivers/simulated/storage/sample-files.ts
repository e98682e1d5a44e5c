import { createCanvas } from '@napi-rs/canvas';

interface Sample {
  path: string[];
  /** Absent: a folder. */
  content?: Buffer;
}

/** The files of a new phone. */
export function sampleFiles(): Sample[] {
  return [
    { path: ['Download'] },
    { path: ['DCIM', 'Camera', 'IMG_0001.jpg'], content: landscape(18, 0.62).toBuffer('image/jpeg') },
    { path: ['DCIM', 'Camera', 'IMG_0002.jpg'], content: landscape(205, 0.45).toBuffer('image/jpeg') },
    { path: ['Documents', 'Shopping list.txt'], content: Buffer.from('Milk\nBread\nTomatoes\nCoffee\n') },
    { path: ['Documents', 'Welcome.txt'], content: Buffer.from(WELCOME) },
    { path: ['Pictures', 'Hills.png'], content: landscape(140, 0.5).toBuffer('image/png') },
  ];
}

const WELCOME = `These files are the shared storage of a simulated phone.

Push files to it, pull files from it, and look at them here.
Everything is reset when the session ends.
`;

/** Draws hills under a sky. */
function landscape(hue: number, horizon: number) {
  const [width, height] = [480, 360];
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const sky = context.createLinearGradient(0, 0, 0, height * horizon);
  sky.addColorStop(0, `hsl(${hue + 190} 70% 55%)`);
  sky.addColorStop(1, `hsl(${hue + 30} 85% 85%)`);
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#fff6d8';
  context.beginPath();
  context.arc(width * 0.7, height * horizon * 0.55, 26, 0, Math.PI * 2);
  context.fill();
  for (const [index, lightness] of [48, 38, 28].entries()) {
    const top = height * (horizon + index * 0.14);
    context.fillStyle = `hsl(${hue} 45% ${lightness}%)`;
    context.beginPath();
    context.moveTo(0, height);
    for (let x = 0; x <= width; x += 8) context.lineTo(x, top + Math.sin(x / 70 + index * 2) * 22);
    context.lineTo(width, height);
    context.fill();
  }
  return canvas;
}
