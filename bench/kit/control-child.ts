/** The control gateway, and phones that answer immediately, in a separate process. */
import { answerAtOnce } from './answer-at-once.ts';
import { answerParent } from './child.ts';
import { openGateways } from './gateways.ts';

async function open(options: { sessions: number }): Promise<{ port: number; paths: string[] }> {
  const gateways = await openGateways(answerAtOnce);
  const paths = Array.from({ length: options.sessions }, (_, n) => gateways.addSession(`s${n}`).control);
  return { port: gateways.port, paths };
}

answerParent({ open });
