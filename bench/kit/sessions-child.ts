/** Both gateways, with phones whose screens do not change, in a separate process. Requires --expose-gc. */
import { encodePacket } from '../../src/contract/sockets/stream-packets.ts';
import { encodeLinkMessage } from '../../src/link/messages.ts';
import { answerParent } from './child.ts';
import { openGateways } from './gateways.ts';

/**
 * One shared copy for all sessions, because its size depends on the phone and not on the gateways, which keep only a
 * reference.
 */
const BEGINNING = [
  encodePacket({ type: 'session', width: 1080, height: 2400 }),
  encodePacket({ type: 'config', pts: 0, data: new Uint8Array(32) }),
  encodePacket({ type: 'keyframe', pts: 0, data: new Uint8Array(20_000) }),
];
const READY = encodeLinkMessage({ type: 'ready', width: 1080, height: 2400, capabilities: ['tap'] });

async function open(options: { sessions: number }): Promise<{ port: number; paths: string[] }> {
  const gateways = await openGateways((link) => {
    link.onMessage(() => {});
    if (link.hello.purpose === 'control') link.send(READY);
    else for (const packet of BEGINNING) link.send(packet);
  });
  const sessions = Array.from({ length: options.sessions }, (_, n) => gateways.addSession(`s${n}`));
  return { port: gateways.port, paths: sessions.flatMap(({ stream, control }) => [stream, control]) };
}

answerParent({ open });
