/**
 * The receiving end of links and plain TLS connections, in a separate process. It records the age of each packet on
 * arrival.
 */
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { WebSocketListener } from '../../src/link/websocket-listener.ts';
import { silentLog } from '../../src/util/log.ts';
import { CERTIFICATE, openIngest } from '../../test/link/ingest-rig.ts';
import { answerParent } from './child.ts';
import { MessageScanner, packetFraming } from './message-scanner.ts';
import { micros, STAMP_OFFSET } from './packet-source.ts';
import { quantile } from './report.ts';
import type { Seen } from './viewers-child.ts';

let ages: number[] = [];
const note = (stamp: number) => ages.push((micros() - stamp) / 1000);

async function open(): Promise<{ ingest: string; port: number }> {
  const links = new WebSocketListener(await openIngest(), 'bench', { log: silentLog });
  links.accept(
    () => true,
    (link) =>
      link.onMessage((message) => {
        if (typeof message === 'string') return;
        note(new DataView(message.buffer, message.byteOffset).getFloat64(STAMP_OFFSET));
      }),
  );
  const pipes = createServer({ ...CERTIFICATE, minVersion: 'TLSv1.3' }, (socket) => {
    const scanner = new MessageScanner(packetFraming, (head) => note(head.readDoubleBE(STAMP_OFFSET)));
    socket.setNoDelay();
    socket.on('data', (chunk) => scanner.take(chunk));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => pipes.listen(0, '127.0.0.1', resolve));
  return { ingest: links.ingest, port: (pipes.address() as AddressInfo).port };
}

async function watch({ seconds }: { seconds: number }): Promise<Seen> {
  ages = [];
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return { packets: ages.length, p50: quantile(ages, 0.5), p99: quantile(ages, 0.99) };
}

answerParent({ open, watch });
