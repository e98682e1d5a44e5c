// Borrows any available phone with the SDK, uses it, saves its screen as a PNG, and ends the session at the end of
// the block.
//
//   PHONEBOOTH_URL=https://phones.example.com PHONEBOOTH_API_KEY=pb_… npx --no-install node examples/typescript.ts [screen.png]
import { writeFile } from 'node:fs/promises';
import { Phonebooth } from '../src/client/index.ts';

const { PHONEBOOTH_URL: url = 'http://localhost:7100', PHONEBOOTH_API_KEY: key } = process.env;
if (!key)
  throw new Error('PHONEBOOTH_API_KEY is not set; the one of your own service is in .phonebooth/api-key');
const file = process.argv[2] ?? 'screen.png';

const phones = new Phonebooth({ url, key });
await using phone = await phones.borrow({
  duration: 5,
  wait: 60,
  onQueued: ({ position }) => console.error(`Waiting; position ${position} in the queue.`),
});
phone.on('session.expiring', ({ seconds }) => console.error(`${seconds} s left.`));
await phone.ready;
console.error(`Borrowed: ${phone.deviceId}, until ${phone.expiresAt}.`);

await phone.key('HOME');
await phone.swipe({ x: 0.5, y: 0.8 }, { x: 0.5, y: 0.2 });
await phone.setClipboard('from the SDK');
console.error(`On the clipboard: ${await phone.clipboard()}`);

for await (const packet of phone.frames()) {
  if (packet.type === 'session') console.error(`The video is ${packet.width}x${packet.height}.`);
  if (packet.type !== 'keyframe') continue;
  console.error(`A keyframe of ${packet.data.length} bytes.`);
  break;
}

await writeFile(file, await phone.screenshot());
console.log(file);
