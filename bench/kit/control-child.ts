/** The control gateway and phones that answer at once, in a process of their own. */
import { type ControlCall, encodeLinkMessage } from '../../src/link/messages.ts';
import { answerParent } from './child.ts';
import { openGateways } from './gateways.ts';

async function open(options: { sessions: number }): Promise<{ port: number; paths: string[] }> {
  const gateways = await openGateways((link) => {
    link.onMessage((message) => {
      if (typeof message !== 'string') return;
      const { id } = JSON.parse(message) as ControlCall;
      link.send(encodeLinkMessage({ type: 'result', id, result: {} }));
    });
    link.send(encodeLinkMessage({ type: 'ready', width: 1080, height: 2400, capabilities: ['tap', 'text'] }));
  });
  const paths = Array.from({ length: options.sessions }, (_, n) => gateways.addSession(`s${n}`).control);
  return { port: gateways.port, paths };
}

answerParent({ open });
